#pragma once
// Hostile forms of floating inputs, value by value (judge/forms.h says what they are for): one text for the judge and
// for the GPU that paints for it, which must give the same bits. So every operation is one that both round once: no sum
// of a product that a compiler may or may not contract, no function of a mathematical library.
#if !defined(__CUDACC__) && !defined(__CUDACC_RTC__)
#include <cmath>

#include "kernels/include/harness/random.cuh"
#endif
#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define HARNESS_FORM __host__ __device__ inline
#else
#define HARNESS_FORM inline
#endif

namespace harness {

enum class FormKind : long long {
  scaled,         // times `a`
  shifted,        // plus `a`
  spikes,         // one in 128 is 64 times as large
  few_spikes,     // some sixteen in the whole tensor are 512 times as large
  one_hot,        // one 1 a row, else 0
  constant_rows,  // a row is one number
  wide_spikes,    // some sixteen lie from 70,000 to 140,000
  ramp,           // from -1 to 1 along a row, which begins anywhere
  denormals,      // one in eight lies below `a`, the least normal number
  ties,           // one of four numbers each
  sorted,         // rows rise and fall in turns
  infinities      // some four
};

/// A form of one tensor. `stream`: of its own random numbers, beside those of the values.
struct ValueForm {
  FormKind kind = FormKind::scaled;
  double a = 0;
  long long bounded = 0;  // 1: values end at lo and hi, which the contract says
  double lo = 0, hi = 0;
  unsigned long long stream = 0, columns = 1, elements = 1;
};

namespace form {

HARNESS_FORM double with_sign(const ValueForm& form, double magnitude, random::Words bits) {
  return form.lo < 0 && (bits.w[2] & 1u) != 0 ? -magnitude : magnitude;
}

HARNESS_FORM double infinity() {
  return 1e308 * 10;
}

/// From 0 to 1.
HARNESS_FORM double share(unsigned int bits) {
  return static_cast<double>(bits) * 0x1p-32;
}

HARNESS_FORM double changed(const ValueForm& form, double value, random::Words bits, unsigned long long row,
                            unsigned long long column, unsigned long long seed) {
  switch (form.kind) {
    case FormKind::scaled:
      return value * form.a;
    case FormKind::shifted:
      return value + form.a;
    case FormKind::spikes:
      return (bits.w[0] & 127u) == 0 ? value * 64 : value;
    case FormKind::few_spikes:
      return random::below(bits, form.elements) < 16 ? value * 512 : value;
    case FormKind::one_hot:
      return column == random::below(random::words(seed, form.stream, row), form.columns) ? 1.0 : 0.0;
    case FormKind::constant_rows:
      return random::normal(random::words(seed, form.stream, row));
    case FormKind::wide_spikes: {
      constexpr double kBeyondHalf = 7e4;
      if (random::below(bits, form.elements) >= 16) return value;
      const double size = kBeyondHalf * (1 + share(bits.w[1]));
      return (bits.w[2] & 1u) != 0 ? size : -size;
    }
    case FormKind::ramp: {
      constexpr double kGolden = 0.6180339887498949;
      const double along = (static_cast<double>(column) + 0.5) / static_cast<double>(form.columns);
      const double turned = random::affine(kGolden, static_cast<double>(row), along);
      return 2 * (turned - floor(turned)) - 1;  // twice anything is exact
    }
    case FormKind::denormals:
      return (bits.w[0] & 7u) != 0 ? value : with_sign(form, form.a * share(bits.w[1]), bits);
    case FormKind::ties:
      return static_cast<double>(bits.w[0] & 3u) - 1;
    case FormKind::sorted: {
      const double along = (static_cast<double>(column) + share(bits.w[0])) / static_cast<double>(form.columns);
      return (row % 2 == 0 ? 1 : -1) * random::affine(6, along, -3);
    }
    case FormKind::infinities:
      return random::below(bits, form.elements) < 4 ? with_sign(form, infinity(), bits) : value;
  }
  return value;
}

}  // namespace form

/// Element `element`, in row-major order, of a tensor that is drawn with `seed`. `bits`: its words of form.stream.
HARNESS_FORM double in_value_form(const ValueForm& form, double value, random::Words bits, unsigned long long element,
                                  unsigned long long seed) {
  const double changed = form::changed(form, value, bits, element / form.columns, element % form.columns, seed);
  if (form.bounded == 0 || changed - changed != 0) return changed;  // infinities stay
  return changed < form.lo ? form.lo : changed > form.hi ? form.hi : changed;
}

}  // namespace harness

#undef HARNESS_FORM
