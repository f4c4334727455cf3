#include "harness/core/dtype.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "harness/core/error.h"

using namespace harness;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

template <typename T>
T stored(Dtype dtype, double value) {
  T bits{};
  store_rounded(dtype, &bits, value);
  return bits;
}

template <typename T>
double loaded(Dtype dtype, T bits) {
  return load_as_double(dtype, &bits);
}

template <typename T>
std::int64_t distance(Dtype dtype, T a, T b) {
  return ulp_distance(dtype, &a, &b);
}

/// The value of a half pattern from its definition, in exact doubles.
double half_by_definition(std::uint32_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction == 0 ? sign * kInfinity : std::nan("");
  if (exponent == 0) return sign * fraction * 0x1p-24;
  return sign * (1.0 + fraction / 1024.0) * std::pow(2.0, exponent - 15);
}

/// Every pattern survives a round trip, and the midpoint of two neighbours goes to the even one, a hair beside it to
/// the nearer one.
template <typename T>
void check_all_patterns(Dtype dtype, std::uint32_t max_finite, std::uint32_t sign) {
  for (std::uint32_t bits = 0; bits <= max_finite; ++bits) {
    const double value = loaded(dtype, static_cast<T>(bits));
    REQUIRE(stored<T>(dtype, value) == bits);
    REQUIRE(stored<T>(dtype, -value) == (bits | sign));
    if (bits == max_finite) break;
    const double middle = (value + loaded(dtype, static_cast<T>(bits + 1))) / 2;
    REQUIRE(stored<T>(dtype, middle) == bits + (bits & 1));
    REQUIRE(stored<T>(dtype, std::nextafter(middle, 0.0)) == bits);
    REQUIRE(stored<T>(dtype, std::nextafter(middle, kInfinity)) == bits + 1);
  }
}

}  // namespace

TEST_CASE("every one of the 65536 half patterns loads as its definition and survives storing") {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const double expected = half_by_definition(bits);
    const double value = loaded(Dtype::f16, static_cast<std::uint16_t>(bits));
    if (std::isnan(expected)) {
      REQUIRE(std::isnan(value));
      REQUIRE(std::isnan(loaded(Dtype::f16, stored<std::uint16_t>(Dtype::f16, value))));
    } else {
      REQUIRE(value == expected);
      REQUIRE(stored<std::uint16_t>(Dtype::f16, value) == bits);
    }
  }
}

TEST_CASE("small floats round to nearest even at every midpoint") {
  check_all_patterns<std::uint16_t>(Dtype::f16, 0x7bff, 0x8000);
  check_all_patterns<std::uint16_t>(Dtype::bf16, 0x7f7f, 0x8000);
  check_all_patterns<std::uint8_t>(Dtype::e4m3, 0x7e, 0x80);
  check_all_patterns<std::uint8_t>(Dtype::e5m2, 0x7b, 0x80);
}

TEST_CASE("a double is rounded once and not through float") {
  // 1 + 2^-11 + 2^-40 is above the midpoint of 1 and the next half; as a float it would become exactly the midpoint.
  REQUIRE(stored<std::uint16_t>(Dtype::f16, 1 + 0x1p-11 + 0x1p-40) == 0x3c01);
  REQUIRE(stored<std::uint16_t>(Dtype::f16, 1 + 0x1p-11) == 0x3c00);
  REQUIRE(stored<std::uint16_t>(Dtype::bf16, 1 + 0x1p-8 + 0x1p-50) == 0x3f81);
}

TEST_CASE("overflow goes to infinity, but e4m3 saturates to 448") {
  REQUIRE(stored<std::uint16_t>(Dtype::f16, 65519.99) == 0x7bff);
  REQUIRE(stored<std::uint16_t>(Dtype::f16, 65520) == 0x7c00);
  REQUIRE(stored<std::uint16_t>(Dtype::f16, -1e300) == 0xfc00);
  REQUIRE(stored<std::uint16_t>(Dtype::bf16, kInfinity) == 0x7f80);
  REQUIRE(stored<std::uint8_t>(Dtype::e5m2, 1e6) == 0x7c);
  REQUIRE(stored<std::uint8_t>(Dtype::e4m3, 1e6) == 0x7e);
  REQUIRE(stored<std::uint8_t>(Dtype::e4m3, -kInfinity) == 0xfe);
  REQUIRE(loaded<std::uint8_t>(Dtype::e4m3, 0x7e) == 448);
  REQUIRE(std::isnan(loaded<std::uint8_t>(Dtype::e4m3, 0x7f)));
  REQUIRE(std::isnan(loaded<std::uint8_t>(Dtype::e4m3, 0xff)));
  REQUIRE(loaded<std::uint8_t>(Dtype::e5m2, 0xfc) == -kInfinity);
}

TEST_CASE("integers round to even, saturate, and take NaN as 0") {
  REQUIRE(stored<std::int8_t>(Dtype::s8, 2.5) == 2);
  REQUIRE(stored<std::int8_t>(Dtype::s8, 3.5) == 4);
  REQUIRE(stored<std::int8_t>(Dtype::s8, 1000) == 127);
  REQUIRE(stored<std::int8_t>(Dtype::s8, -1000) == -128);
  REQUIRE(stored<std::uint8_t>(Dtype::u8, -3) == 0);
  REQUIRE(stored<std::int32_t>(Dtype::s32, std::nan("")) == 0);
  REQUIRE(stored<std::int64_t>(Dtype::s64, 1e300) == std::numeric_limits<std::int64_t>::max());
  REQUIRE(stored<std::int64_t>(Dtype::s64, -1e300) == std::numeric_limits<std::int64_t>::min());
  REQUIRE(stored<std::uint64_t>(Dtype::u64, 1e300) == std::numeric_limits<std::uint64_t>::max());
  REQUIRE(stored<std::uint8_t>(Dtype::b8, 0.1) == 1);
}

TEST_CASE("many elements at once are what one at a time is") {
  std::vector<double> values{0.0,     -0.0,  1,    -1,        1e-9,       -6e-8, 65504,
                             65519.9, 65520, 1e39, kInfinity, -kInfinity, 448,   3.7};
  for (int i = 1; i < 2000; ++i) values.push_back(std::sin(i) * std::ldexp(1.0, i % 60 - 40));
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16, Dtype::e4m3, Dtype::e5m2, Dtype::s8,
                            Dtype::u8, Dtype::s32, Dtype::b8}) {
    const auto unit = static_cast<std::size_t>(storage_bytes(dtype));
    std::vector<std::byte> all(values.size() * unit), one(all.size());
    store_all_rounded(dtype, all.data(), values);
    for (std::size_t i = 0; i < values.size(); ++i) store_rounded(dtype, one.data() + i * unit, values[i]);
    REQUIRE(all == one);
    std::vector<double> loaded_all(values.size());
    load_as_doubles(dtype, all.data(), loaded_all);
    for (std::size_t i = 0; i < values.size(); ++i)
      REQUIRE(loaded_all[i] == load_as_double(dtype, one.data() + i * unit));
  }
}

TEST_CASE("ulp distance counts ordered bit patterns") {
  REQUIRE(distance<std::uint16_t>(Dtype::f16, 0x3c00, 0x3c00) == 0);
  REQUIRE(distance<std::uint16_t>(Dtype::f16, 0x3c00, 0x3bff) == 1);
  REQUIRE(distance<std::uint16_t>(Dtype::f16, 0x0000, 0x8000) == 0);
  REQUIRE(distance<std::uint16_t>(Dtype::f16, 0x0001, 0x8001) == 2);
  REQUIRE(distance<std::uint16_t>(Dtype::f16, 0x7bff, 0x7c00) == 1);
  REQUIRE(distance<std::uint16_t>(Dtype::f16, 0x7e00, 0x3c00) == kFar);
  REQUIRE(distance<std::uint16_t>(Dtype::f16, 0x7e00, 0x7fff) == 0);
  REQUIRE(distance<double>(Dtype::f64, 1.0, std::nextafter(1.0, 2.0)) == 1);
  REQUIRE(distance<double>(Dtype::f64, kInfinity, -kInfinity) == kFar);
  REQUIRE(distance<float>(Dtype::f32, 1.0f, -1.0f) == 2ll * 0x3f800000);
}

TEST_CASE("types have names, sizes and CUDA spellings") {
  REQUIRE(parse_dtype("bf16") == Dtype::bf16);
  REQUIRE(parse_dtype("bool") == Dtype::b8);
  REQUIRE_FALSE(parse_dtype("float").has_value());
  REQUIRE(name(Dtype::e8m0) == "e8m0");
  REQUIRE(cuda_type(Dtype::bf16) == "__nv_bfloat16");
  REQUIRE(storage_bytes(Dtype::s64) == 8);
  REQUIRE(elements_per_unit(Dtype::s4) == 2);
  REQUIRE(elements_per_unit(Dtype::f16) == 1);
  REQUIRE(is_floating(Dtype::e4m3));
  REQUIRE_FALSE(is_floating(Dtype::b8));
  REQUIRE(json("f16").get<Dtype>() == Dtype::f16);
  REQUIRE(json(Dtype::e5m2) == "e5m2");
  REQUIRE_THROWS_AS(json("half").get<Dtype>(), Error);
  std::uint8_t unit = 0;
  REQUIRE_THROWS_AS(load_as_double(Dtype::s4, &unit), Error);
}
