#include "harness/core/dtype.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

#include "harness/core/error.h"

namespace harness {
namespace {

struct TypeRow {
  Dtype dtype;
  std::string_view name, cuda;
  int bytes, elements;
  bool floating;
};

constexpr std::array<TypeRow, 18> kTypes{{
    {Dtype::f64, "f64", "double", 8, 1, true},
    {Dtype::f32, "f32", "float", 4, 1, true},
    {Dtype::f16, "f16", "__half", 2, 1, true},
    {Dtype::bf16, "bf16", "__nv_bfloat16", 2, 1, true},
    {Dtype::e4m3, "e4m3", "__nv_fp8_e4m3", 1, 1, true},
    {Dtype::e5m2, "e5m2", "__nv_fp8_e5m2", 1, 1, true},
    {Dtype::s8, "s8", "signed char", 1, 1, false},
    {Dtype::u8, "u8", "unsigned char", 1, 1, false},
    {Dtype::s16, "s16", "short", 2, 1, false},
    {Dtype::u16, "u16", "unsigned short", 2, 1, false},
    {Dtype::s32, "s32", "int", 4, 1, false},
    {Dtype::u32, "u32", "unsigned int", 4, 1, false},
    {Dtype::s64, "s64", "long long", 8, 1, false},
    {Dtype::u64, "u64", "unsigned long long", 8, 1, false},
    {Dtype::b8, "b8", "bool", 1, 1, false},
    {Dtype::s4, "s4", "unsigned char", 1, 2, false},
    {Dtype::e2m1, "e2m1", "__nv_fp4x2_e2m1", 1, 2, true},
    {Dtype::e8m0, "e8m0", "__nv_fp8_e8m0", 1, 1, true},
}};

constexpr const TypeRow& row(Dtype dtype) {
  return kTypes[static_cast<std::size_t>(dtype)];
}

/// A sign, exponent and mantissa format narrower than float. `max_finite` is the pattern of the largest finite value;
/// `overflow` what larger values become and `nan` the pattern of a NaN.
struct SmallFloat {
  int mantissa_bits, bias;
  std::uint32_t sign_bit, max_finite, overflow, nan;
};
constexpr SmallFloat kHalf{10, 15, 0x8000, 0x7bff, 0x7c00, 0x7fff};
constexpr SmallFloat kBfloat{7, 127, 0x8000, 0x7f7f, 0x7f80, 0x7fff};
constexpr SmallFloat kE4m3{3, 7, 0x80, 0x7e, 0x7e, 0x7f};
constexpr SmallFloat kE5m2{2, 15, 0x80, 0x7b, 0x7c, 0x7f};

const SmallFloat* small_float(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return &kHalf;
    case Dtype::bf16:
      return &kBfloat;
    case Dtype::e4m3:
      return &kE4m3;
    case Dtype::e5m2:
      return &kE5m2;
    default:
      return nullptr;
  }
}

constexpr int kDoubleMantissa = 52, kDoubleBias = 1023;
constexpr std::uint64_t kDoubleSign = 1ull << 63, kDoubleInfinity = 0x7ffull << kDoubleMantissa;

[[gnu::always_inline]] inline double decode(const SmallFloat& format, std::uint32_t bits) {
  const std::uint32_t magnitude = bits & (format.sign_bit - 1);
  const std::uint64_t sign = (bits & format.sign_bit) != 0 ? kDoubleSign : 0;
  if (magnitude > format.max_finite) {
    const bool infinite = magnitude == format.overflow;
    return infinite ? std::bit_cast<double>(sign | kDoubleInfinity) : std::numeric_limits<double>::quiet_NaN();
  }
  const std::uint64_t exponent = magnitude >> format.mantissa_bits;
  if (exponent == 0) {
    const double value = std::ldexp(magnitude, 1 - format.bias - format.mantissa_bits);
    return sign != 0 ? -value : value;
  }
  // The fields keep their order: move them up and exchange the bias.
  const std::uint64_t moved = static_cast<std::uint64_t>(magnitude) << (kDoubleMantissa - format.mantissa_bits);
  return std::bit_cast<double>(sign |
                               (moved + (static_cast<std::uint64_t>(kDoubleBias - format.bias) << kDoubleMantissa)));
}

/// One rounding, to nearest even, on the bits: the significand is shifted until one unit in its last place is 1. A
/// carry out of the mantissa moves into the exponent by itself, because the patterns of a format are ordered like its
/// values.
[[gnu::always_inline]] inline std::uint32_t encode(const SmallFloat& format, double value) {
  const auto pattern = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = pattern & ~kDoubleSign;
  if (magnitude > kDoubleInfinity) return format.nan;
  const std::uint32_t sign = static_cast<std::uint32_t>(pattern >> 63) * format.sign_bit;
  const int exponent = static_cast<int>(magnitude >> kDoubleMantissa) - kDoubleBias + format.bias;
  if (exponent > 2 * format.bias + 1) return sign | format.overflow;
  const int shift = kDoubleMantissa - format.mantissa_bits + std::max(0, 1 - exponent);
  if (shift > kDoubleMantissa + 1) return sign;  // below half of the smallest subnormal
  const std::uint64_t significand = (magnitude & (kDoubleInfinity ^ ~kDoubleSign)) | (1ull << kDoubleMantissa);
  // Without a branch: data is random, and so would be the guesses of the processor.
  const std::uint64_t below_half = (1ull << (shift - 1)) - 1, odd = significand >> shift & 1;
  const std::uint64_t rounded = (significand + below_half + odd) >> shift;
  const std::uint64_t bits = rounded + (static_cast<std::uint64_t>(std::max(exponent, 1) - 1) << format.mantissa_bits);
  return sign | (bits > format.max_finite ? format.overflow : static_cast<std::uint32_t>(bits));
}

template <typename T>
T load(const void* unit) {
  T value;
  std::memcpy(&value, unit, sizeof value);
  return value;
}

template <typename T>
void store(void* unit, T value) {
  std::memcpy(unit, &value, sizeof value);
}

template <typename T>
void store_integer(void* unit, double value) {
  using limits = std::numeric_limits<T>;
  const double rounded = std::nearbyint(value);
  if (std::isnan(rounded)) return store<T>(unit, 0);
  if (rounded <= static_cast<double>(limits::min())) return store<T>(unit, limits::min());
  // For 64 bits the double nearest to the maximum is one past it, so everything that reaches it saturates.
  if (rounded >= static_cast<double>(limits::max())) return store<T>(unit, limits::max());
  store<T>(unit, static_cast<T>(rounded));
}

std::uint64_t load_bits(int bytes, const void* unit) {
  switch (bytes) {
    case 1:
      return load<std::uint8_t>(unit);
    case 2:
      return load<std::uint16_t>(unit);
    case 4:
      return load<std::uint32_t>(unit);
    default:
      return load<std::uint64_t>(unit);
  }
}

/// `load` and `store` over many units: what depends on the type is decided once.
template <typename Unit, typename Load>
void load_each(const std::byte* units, std::span<double> values, Load load_one) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = load_one(load<Unit>(units + i * sizeof(Unit)));
}

template <typename Unit, typename Store>
void store_each(std::byte* units, std::span<const double> values, Store rounded) {
  for (std::size_t i = 0; i < values.size(); ++i) store<Unit>(units + i * sizeof(Unit), rounded(values[i]));
}

[[noreturn]] void refuse_packed(Dtype dtype) {
  throw bad_input("element type " + std::string(name(dtype)) +
                  " is reserved and cannot be read or written yet; store its packed units as u8");
}

}  // namespace

std::string_view name(Dtype dtype) {
  return row(dtype).name;
}
std::string_view cuda_type(Dtype dtype) {
  return row(dtype).cuda;
}
int storage_bytes(Dtype dtype) {
  return row(dtype).bytes;
}
int elements_per_unit(Dtype dtype) {
  return row(dtype).elements;
}
bool is_floating(Dtype dtype) {
  return row(dtype).floating;
}

std::optional<Dtype> parse_dtype(std::string_view text) {
  for (const TypeRow& type : kTypes) {
    if (type.name == text) return type.dtype;
  }
  if (text == "bool") return Dtype::b8;
  return std::nullopt;
}

double load_as_double(Dtype dtype, const void* unit) {
  switch (dtype) {
    case Dtype::f64:
      return load<double>(unit);
    case Dtype::f32:
      return load<float>(unit);
    case Dtype::f16:
    case Dtype::bf16:
      return decode(*small_float(dtype), load<std::uint16_t>(unit));
    case Dtype::e4m3:
    case Dtype::e5m2:
      return decode(*small_float(dtype), load<std::uint8_t>(unit));
    case Dtype::s8:
      return load<std::int8_t>(unit);
    case Dtype::u8:
      return load<std::uint8_t>(unit);
    case Dtype::s16:
      return load<std::int16_t>(unit);
    case Dtype::u16:
      return load<std::uint16_t>(unit);
    case Dtype::s32:
      return load<std::int32_t>(unit);
    case Dtype::u32:
      return load<std::uint32_t>(unit);
    case Dtype::s64:
      return static_cast<double>(load<std::int64_t>(unit));
    case Dtype::u64:
      return static_cast<double>(load<std::uint64_t>(unit));
    case Dtype::b8:
      return load<std::uint8_t>(unit);
    case Dtype::s4:
    case Dtype::e2m1:
    case Dtype::e8m0:
      break;
  }
  refuse_packed(dtype);
}

void store_rounded(Dtype dtype, void* unit, double value) {
  switch (dtype) {
    case Dtype::f64:
      return store<double>(unit, value);
    case Dtype::f32:
      return store<float>(unit, static_cast<float>(value));
    case Dtype::f16:
    case Dtype::bf16:
      return store(unit, static_cast<std::uint16_t>(encode(*small_float(dtype), value)));
    case Dtype::e4m3:
    case Dtype::e5m2:
      return store(unit, static_cast<std::uint8_t>(encode(*small_float(dtype), value)));
    case Dtype::s8:
      return store_integer<std::int8_t>(unit, value);
    case Dtype::u8:
      return store_integer<std::uint8_t>(unit, value);
    case Dtype::s16:
      return store_integer<std::int16_t>(unit, value);
    case Dtype::u16:
      return store_integer<std::uint16_t>(unit, value);
    case Dtype::s32:
      return store_integer<std::int32_t>(unit, value);
    case Dtype::u32:
      return store_integer<std::uint32_t>(unit, value);
    case Dtype::s64:
      return store_integer<std::int64_t>(unit, value);
    case Dtype::u64:
      return store_integer<std::uint64_t>(unit, value);
    case Dtype::b8:
      return store<std::uint8_t>(unit, !std::isnan(value) && value != 0);
    case Dtype::s4:
    case Dtype::e2m1:
    case Dtype::e8m0:
      break;
  }
  refuse_packed(dtype);
}

void load_as_doubles(Dtype dtype, const std::byte* units, std::span<double> values) {
  switch (dtype) {
    case Dtype::f64:
      return load_each<double>(units, values, [](double unit) { return unit; });
    case Dtype::f32:
      return load_each<float>(units, values, [](float unit) { return unit; });
    case Dtype::f16:
      return load_each<std::uint16_t>(units, values, [](std::uint32_t bits) { return decode(kHalf, bits); });
    case Dtype::bf16:
      return load_each<std::uint16_t>(units, values, [](std::uint32_t bits) { return decode(kBfloat, bits); });
    default:
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = load_as_double(dtype, units + i * static_cast<std::size_t>(storage_bytes(dtype)));
  }
}

void store_all_rounded(Dtype dtype, std::byte* units, std::span<const double> values) {
  switch (dtype) {
    case Dtype::f64:
      return store_each<double>(units, values, [](double value) { return value; });
    case Dtype::f32:
      return store_each<float>(units, values, [](double value) { return static_cast<float>(value); });
    case Dtype::f16:
      return store_each<std::uint16_t>(units, values, [](double value) { return encode(kHalf, value); });
    case Dtype::bf16:
      return store_each<std::uint16_t>(units, values, [](double value) { return encode(kBfloat, value); });
    default:
      for (std::size_t i = 0; i < values.size(); ++i)
        store_rounded(dtype, units + i * static_cast<std::size_t>(storage_bytes(dtype)), values[i]);
  }
}

std::int64_t ulp_distance(Dtype dtype, const void* a, const void* b) {
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  const bool a_is_nan = std::isnan(load_as_double(dtype, a));
  const bool b_is_nan = std::isnan(load_as_double(dtype, b));
  if (a_is_nan || b_is_nan) return a_is_nan == b_is_nan ? 0 : kFar;
  const int bytes = storage_bytes(dtype);
  const std::uint64_t sign = 1ull << (8 * bytes - 1);
  const std::uint64_t x = load_bits(bytes, a), y = load_bits(bytes, b);
  const std::uint64_t x_magnitude = x & (sign - 1), y_magnitude = y & (sign - 1);
  std::uint64_t distance = 0;
  if ((x & sign) == (y & sign)) distance = std::max(x_magnitude, y_magnitude) - std::min(x_magnitude, y_magnitude);
  else distance = x_magnitude + y_magnitude;
  return distance > static_cast<std::uint64_t>(kFar) ? kFar : static_cast<std::int64_t>(distance);
}

void to_json(json& j, Dtype dtype) {
  j = std::string(name(dtype));
}

void from_json(const json& j, Dtype& dtype) {
  const auto text = j.get<std::string>();
  const auto parsed = parse_dtype(text);
  if (!parsed) throw bad_input("'" + text + "' is not an element type; use one such as f32, f16, bf16, s8 or s32");
  dtype = *parsed;
}

}  // namespace harness
