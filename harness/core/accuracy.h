#pragma once
#include <cstdint>
#include <string>

#include "harness/core/dtype.h"
#include "harness/core/enum_text.h"

// How far an honest implementation may be from the exact answer. N. J. Higham, Accuracy and Stability of Numerical
// Algorithms, 2nd edition, chapter 4: a sum of n terms in any order has |error| <= (n - 1) u sum|x| (4.4), pairwise
// log2(n) u sum|x| (4.6), to first order in the unit roundoff u of the accumulator; typical errors go with the square
// root of these factors, because roundings are of both signs.
namespace harness {

enum class SumOrder { any, pairwise };

/// `accuracy = { sum = ..., accumulate = ..., order = ... }` of an output; where nothing is declared it is inferred.
struct Accuracy {
  std::int64_t sum = 1;           // terms of the longest sum behind an element
  Dtype accumulate = Dtype::f32;  // the type that they are added in
  SumOrder order = SumOrder::any;
  bool declared = false;
};

/// Half the distance from 1 to the next number: 2^-24 (f32), 2^-11 (f16), 2^-8 (bf16), 2^-53 (f64). 0: not floating.
double unit_roundoff(Dtype dtype);

/// Relative rms error over many elements of an output of this type: one rounding to it, eight roundings in the
/// accumulator's type on the way (conversions, exponentials, a quotient), and the sum's. A rounding has the rms 0.41 u;
/// in a sum of n terms that adds up to 0.41 u sqrt(n / 2).
double typical_error(const Accuracy& accuracy, Dtype output);
/// The bounds (4.4) and (4.6), with the roundings beside the sum: what inputs made on purpose may come near, such as
/// many equal terms, which are all rounded alike. Relative to the sum of the terms' sizes.
double worst_error(const Accuracy& accuracy, Dtype output);

/// "sums of 8192 terms in f32, any order: typical 1.6e-06, at most 0.00049"
std::string in_words(const Accuracy& accuracy, Dtype output);

HARNESS_ENUM_TEXT(SumOrder);
void to_json(json& to, const Accuracy& value);
void from_json(const json& from, Accuracy& value);

}  // namespace harness
