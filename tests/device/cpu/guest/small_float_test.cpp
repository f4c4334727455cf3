#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

// All 65536 values against an exact computation: a value is an integer multiple of 2^-unit, so sums, products and fused
// multiply-adds of halves are exact in 128-bit integers and are rounded here by comparing with both neighbours.

const char* const kSmallFloatSource = R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>

__global__ void widen(const unsigned short* bits, float* half_values, float* bfloat_values) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  half_values[i] = __half2float(__ushort_as_half(bits[i]));
  bfloat_values[i] = __bfloat162float(__ushort_as_bfloat16(bits[i]));
}
template <typename T> __global__ void narrow(const float* in, unsigned short* out, int n);
template <> __global__ void narrow<__half>(const float* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[4 * i] = __half_as_ushort(__float2half_rn(in[i]));
  out[4 * i + 1] = __half_as_ushort(__float2half_rz(in[i]));
  out[4 * i + 2] = __half_as_ushort(__float2half_rd(in[i]));
  out[4 * i + 3] = __half_as_ushort(__float2half_ru(in[i]));
}
template <> __global__ void narrow<__nv_bfloat16>(const float* in, unsigned short* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[4 * i] = __bfloat16_as_ushort(__float2bfloat16(in[i]));
  out[4 * i + 1] = __bfloat16_as_ushort(__float2bfloat16_rz(in[i]));
  out[4 * i + 2] = __bfloat16_as_ushort(__float2bfloat16_rd(in[i]));
  out[4 * i + 3] = __bfloat16_as_ushort(__float2bfloat16_ru(in[i]));
}
template <typename T> __global__ void arithmetic(const T* a, const T* b, const T* c, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[4 * i] = a[i] + b[i];
  out[4 * i + 1] = a[i] * b[i];
  out[4 * i + 2] = __hfma(a[i], b[i], c[i]);
  out[4 * i + 3] = a[i] / b[i];
}
__global__ void from_double(const double* in, __half* half_out, __nv_bfloat16* bfloat_out) {
  half_out[threadIdx.x] = __double2half(in[threadIdx.x]);
  bfloat_out[threadIdx.x] = __double2bfloat16(in[threadIdx.x]);
}
__global__ void api(float* out) {
  const half2 pair = __floats2half2_rn(1.5f, -2.0f), twos = __float2half2_rn(2.0f);
  const float2 sum = __half22float2(__hadd2(pair, twos)), fused = __half22float2(__hfma2(pair, twos, twos));
  half2 total = pair * twos;
  total += __half2half2(half(1));
  const half one = 1.0f, nan = __ushort_as_half(0x7fff);
  const nv_bfloat162 brain = __floats2bfloat162_rn(3.0f, 4.0f);
  const float2 wide = __bfloat1622float2(brain);
  const float values[] = {sum.x, sum.y, fused.x, fused.y, __low2float(total), __high2float(total), __hmax(one, half(2)),
      __hmin(nan, one), float(__hisnan(__hmax_nan(nan, one))), float(__hlt(one, nan)), float(__hltu(one, nan)), hexp2(half(3)), hsqrt(half(16)),
      float(__half2int_rn(half(2.5f))), float(__half2int_rz(half(-2.7f))), float(__int2half_rn(70000)), float(one < half(2)),
      wide.x + wide.y, __low2float(__hmul2(brain, brain)), float(__hneg(one)), __habs(half(-3)), float(__lowhigh2highlow(pair).x),
      float(__hadd_sat(one, one)), hrcp(half(4)), float(h2exp(__halves2half2(half(0), half(1))).x), float(__heq2(pair, pair).y)};
  for (int i = 0; i < 26; ++i) out[i] = values[i];
}
)";

constexpr int kCount = 1 << 16;
__extension__ typedef __int128 Wide;

const Artifact& small_float_artifact() {
  static const Artifact built =
      build_artifact(kSmallFloatSource, {"widen", "narrow<__half>", "narrow<__nv_bfloat16>", "arithmetic<__half>",
                                         "arithmetic<__nv_bfloat16>", "from_double", "api"});
  return built;
}

/// A binary format of 16 bits by its number of mantissa bits, from its definition.
struct Format {
  int mantissa;
  int exponent_bits() const { return 15 - mantissa; }
  int bias() const { return (1 << (exponent_bits() - 1)) - 1; }
  std::uint16_t infinity() const { return static_cast<std::uint16_t>(((1 << exponent_bits()) - 1) << mantissa); }
  double value(std::uint16_t bits) const {
    const int exponent = (bits & 0x7fff) >> mantissa, fraction = bits & ((1 << mantissa) - 1);
    const double sign = bits & 0x8000 ? -1 : 1;
    if (exponent == (1 << exponent_bits()) - 1) return fraction ? NAN : sign * INFINITY;
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias() - mantissa);
    return sign * std::ldexp((1 << mantissa) + fraction, exponent - bias() - mantissa);
  }
  /// The next value after the largest finite one, were the exponent not the last: what overflow is decided by.
  double beyond() const { return std::ldexp(1.0, bias() + 1); }
};
constexpr Format kHalf{10}, kBfloat{7};

/// Largest pattern whose value is not above `magnitude` (finite or infinity).
template <typename NotAbove>
std::uint16_t floor_pattern(const Format& format, NotAbove not_above) {
  std::uint16_t low = 0, high = format.infinity();
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (not_above(middle) ? low : high) = middle;
  }
  return low;
}

/// `v` rounded: 0 nearest even, 1 toward zero, 2 down, 3 up. Neighbours and halfway points of both formats are exact in
/// double.
std::uint16_t round_double(const Format& format, double v, int rounding) {
  if (std::isnan(v)) return 0x7fff;
  const std::uint16_t sign = std::signbit(v) ? 0x8000 : 0;
  const double magnitude = std::abs(v);
  if (std::isinf(v)) return sign | format.infinity();
  const std::uint16_t low = floor_pattern(format, [&](std::uint16_t bits) { return format.value(bits) <= magnitude; });
  const double below = format.value(low);
  if (below == magnitude) return sign | low;
  const std::uint16_t high = static_cast<std::uint16_t>(low + 1);
  const double above = high == format.infinity() ? format.beyond() : format.value(high);
  if (rounding == 1) return sign | low;
  if (rounding >= 2) return sign | ((rounding == 3) == (sign == 0) ? high : low);
  const double middle = (below + above) / 2;
  if (magnitude == middle) return sign | (low & 1 ? high : low);
  return sign | (magnitude > middle ? high : low);
}

/// A half as a multiple of 2^-24, exactly.
Wide scaled(std::uint16_t bits) {
  return static_cast<Wide>(std::ldexp(kHalf.value(bits), 24));
}

/// The exact `n` * 2^-48 as a half, to nearest even. `zero_sign` is the sign of an exact zero.
std::uint16_t round_exact(Wide n, std::uint16_t zero_sign) {
  if (n == 0) return zero_sign;
  const std::uint16_t sign = n < 0 ? 0x8000 : 0;
  const Wide magnitude = n < 0 ? -n : n;
  const auto at = [](std::uint16_t bits) {
    return bits == kHalf.infinity() ? Wide{1} << 64 : scaled(bits) * (Wide{1} << 24);
  };
  const std::uint16_t low = floor_pattern(kHalf, [&](std::uint16_t bits) { return at(bits) <= magnitude; });
  const std::uint16_t high = static_cast<std::uint16_t>(low + 1);
  const Wide twice = 2 * magnitude - at(low) - at(high);
  if (magnitude >= at(kHalf.infinity())) return sign | kHalf.infinity();
  if (twice == 0) return sign | (low & 1 ? high : low);
  return sign | (twice > 0 ? high : low);
}

bool is_nan(const Format& format, std::uint16_t bits) {
  return (bits & 0x7fff) > format.infinity();
}

bool same(const Format& format, std::uint16_t a, std::uint16_t b) {
  return a == b || (is_nan(format, a) && is_nan(format, b));
}

std::vector<std::uint16_t> all_patterns() {
  std::vector<std::uint16_t> bits(kCount);
  for (int i = 0; i < kCount; ++i) bits[i] = static_cast<std::uint16_t>(i);
  return bits;
}

/// Every value, every midpoint of neighbours, and the floats next to those midpoints; and floats of all kinds.
std::vector<float> hard_floats(const Format& format) {
  std::vector<float> values = {0.0f,   -0.0f,  INFINITY, -INFINITY, NAN,      1e38f,
                               -1e38f, 1e-45f, -1e-45f,  65519.99f, 65520.0f, 3.4e38f};
  for (int i = 0; i < kCount; i += 3) {
    const double a = format.value(static_cast<std::uint16_t>(i)), b = format.value(static_cast<std::uint16_t>(i + 1));
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const float middle = static_cast<float>((a + b) / 2);
    for (const float v :
         {static_cast<float>(a), middle, std::nextafter(middle, INFINITY), std::nextafter(middle, -INFINITY)})
      values.push_back(v);
  }
  return values;
}

void check_narrowing(const Format& format, const std::string& type) {
  const std::vector<float> in = hard_floats(format);
  const auto n = static_cast<std::int64_t>(in.size());
  Bench bench(small_float_artifact());
  bench.buffer("in", in).buffer("out", std::vector<std::uint16_t>(in.size() * 4));
  bench.run("narrow<" + type + ">", {static_cast<std::uint32_t>((n + 255) / 256)}, {256},
            {named("in"), named("out"), i32(n)});
  const auto out = bench.read<std::uint16_t>("out");
  int wrong = 0;
  for (std::size_t i = 0; i < in.size(); ++i)
    for (int rounding = 0; rounding < 4; ++rounding)
      if (!same(format, out[4 * i + rounding], round_double(format, in[i], rounding)) && wrong++ == 0)
        FAIL_CHECK(type << " of " << in[i] << ", rounding " << rounding << ": " << out[4 * i + rounding]);
  CHECK(wrong == 0);
}

struct Operands {
  std::vector<std::uint16_t> a, b, c;
};

/// Each pattern once as `a`; every other `c` nearly cancels the product, which is where rounding twice would show.
Operands draw(const Format& format) {
  std::mt19937 random(7);
  Operands drawn{all_patterns(), {}, {}};
  for (int i = 0; i < kCount; ++i) {
    drawn.b.push_back(static_cast<std::uint16_t>(random()));
    const double product = format.value(drawn.a[i]) * format.value(drawn.b[i]);
    const auto near = static_cast<std::uint16_t>(round_double(format, -product, 0) + random() % 64);
    drawn.c.push_back(i % 2 ? static_cast<std::uint16_t>(random()) : near);
  }
  return drawn;
}

std::vector<std::uint16_t> compute(const Operands& in, const std::string& type) {
  Bench bench(small_float_artifact());
  bench.buffer("a", in.a).buffer("b", in.b).buffer("c", in.c).buffer("out", std::vector<std::uint16_t>(4 * kCount));
  bench.run("arithmetic<" + type + ">", {kCount / 256}, {256},
            {named("a"), named("b"), named("c"), named("out"), i32(kCount)});
  return bench.read<std::uint16_t>("out");
}

}  // namespace

TEST_CASE("all 65536 patterns of both types have the value that their format defines") {
  Bench bench(small_float_artifact());
  bench.buffer("bits", all_patterns())
      .buffer("half", std::vector<float>(kCount))
      .buffer("bfloat", std::vector<float>(kCount));
  bench.run("widen", {kCount / 256}, {256}, {named("bits"), named("half"), named("bfloat")});
  const auto half = bench.read<float>("half"), bfloat = bench.read<float>("bfloat");
  int wrong = 0;
  const auto differ = [](float got, double expected) {
    return std::isnan(expected) ? !std::isnan(got) : got != expected || std::signbit(got) != std::signbit(expected);
  };
  for (int i = 0; i < kCount; ++i) {
    wrong += differ(half[i], kHalf.value(static_cast<std::uint16_t>(i)));
    wrong += differ(bfloat[i], kBfloat.value(static_cast<std::uint16_t>(i)));
  }
  CHECK(wrong == 0);
}

TEST_CASE("floats become half in all four roundings, ties and overflow included") {
  check_narrowing(kHalf, "__half");
}

TEST_CASE("floats become bfloat16 in all four roundings, ties and overflow included") {
  check_narrowing(kBfloat, "__nv_bfloat16");
}

TEST_CASE("half sums, products and fused multiply-adds are rounded once from the exact result") {
  const Operands in = draw(kHalf);
  const auto out = compute(in, "__half");
  int wrong[4] = {};
  for (int i = 0; i < kCount; ++i) {
    const double a = kHalf.value(in.a[i]), b = kHalf.value(in.b[i]), c = kHalf.value(in.c[i]);
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) continue;
    const Wide up = Wide{1} << 24, x = scaled(in.a[i]), y = scaled(in.b[i]), z = scaled(in.c[i]);
    const auto sign_of = [](double v) { return static_cast<std::uint16_t>(std::signbit(v) ? 0x8000 : 0); };
    wrong[0] += out[4 * i] != round_exact((x + y) * up, sign_of(a + b));
    wrong[1] += out[4 * i + 1] != round_exact(x * y, sign_of(a * b));
    wrong[2] += out[4 * i + 2] != round_exact(x * y + z * up, sign_of(a * b + c));
    if (b != 0) wrong[3] += !same(kHalf, out[4 * i + 3], round_double(kHalf, a / b, 0));
  }
  CHECK(wrong[0] == 0);
  CHECK(wrong[1] == 0);
  CHECK(wrong[2] == 0);
  CHECK(wrong[3] == 0);
}

TEST_CASE("bfloat16 sums and products are rounded once") {
  const Operands in = draw(kBfloat);
  const auto out = compute(in, "__nv_bfloat16");
  int wrong = 0;
  for (int i = 0; i < kCount; ++i) {
    const double a = kBfloat.value(in.a[i]), b = kBfloat.value(in.b[i]), c = kBfloat.value(in.c[i]);
    // A sum of numbers with far exponents is not exact in double: those are left to the other cases.
    const double product = a * b, sum = a + b, fused = product + c;
    if (sum - a == b && sum - b == a) wrong += !same(kBfloat, out[4 * i], round_double(kBfloat, sum, 0));
    wrong += !same(kBfloat, out[4 * i + 1], round_double(kBfloat, product, 0));
    if (fused - product == c && fused - c == product)
      wrong += !same(kBfloat, out[4 * i + 2], round_double(kBfloat, fused, 0));
  }
  CHECK(wrong == 0);
}

TEST_CASE("a tie of a bfloat16 multiply-add is broken by an addend of any size") {
  // 0x1.16p+0 * 1.5 lies exactly between two values.
  Bench bench(small_float_artifact());
  const std::uint16_t a = round_double(kBfloat, 0x1.16p-92, 0), b = round_double(kBfloat, 0x1.8p+120, 0),
                      tiny = round_double(kBfloat, 0x1p-86, 0);
  bench.buffer("a", std::vector<std::uint16_t>(3, a)).buffer("b", std::vector<std::uint16_t>(3, b));
  bench.buffer("c", std::vector<std::uint16_t>{tiny, 0, static_cast<std::uint16_t>(tiny | 0x8000)})
      .buffer("out", std::vector<std::uint16_t>(12));
  bench.run("arithmetic<__nv_bfloat16>", {}, {32}, {named("a"), named("b"), named("c"), named("out"), i32(3)});
  const auto out = bench.read<std::uint16_t>("out");
  CHECK(out[2] == 0x4dd1);
  CHECK(out[6] == 0x4dd0);
  CHECK(out[10] == 0x4dd0);
}

TEST_CASE("a double is rounded once to half and bfloat16, not through float") {
  // Just above the midpoint between two neighbours, by less than a float can tell.
  const std::vector<double> in = {1 + 0x1p-11 + 0x1p-40,   1 + 0x1p-11 - 0x1p-40, 1 + 0x1p-11,
                                  -(1 + 0x1p-8 + 0x1p-40), 1 + 0x1p-8 - 0x1p-40,  1e300,
                                  65519.9999999,           0x1p-25 + 0x1p-60};
  Bench bench(small_float_artifact());
  bench.buffer("in", in).buffer("half", std::vector<std::uint16_t>(8)).buffer("bfloat", std::vector<std::uint16_t>(8));
  bench.run("from_double", {}, {8}, {named("in"), named("half"), named("bfloat")});
  const auto half = bench.read<std::uint16_t>("half"), bfloat = bench.read<std::uint16_t>("bfloat");
  for (std::size_t i = 0; i < in.size(); ++i) {
    CHECK(half[i] == round_double(kHalf, in[i], 0));
    CHECK(bfloat[i] == round_double(kBfloat, in[i], 0));
  }
}

TEST_CASE("the functions of the half and bfloat16 headers do what their names say") {
  Bench bench(small_float_artifact());
  bench.buffer("out", std::vector<float>(26)).run("api", {}, {1}, {named("out")});
  CHECK(bench.read<float>("out") == std::vector<float>{3.5f, 0,  5,        -2, 4, -3, 2,  1, 1,  0, 1,     8, 4,
                                                       2,    -2, INFINITY, 1,  7, 9,  -1, 3, -2, 1, 0.25f, 1, 1});
}

}  // namespace harness::test
