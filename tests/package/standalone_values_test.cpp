#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <random>
#include <set>
#include <vector>

#include "harness/core/dtype.h"

// What a standalone program computes on the host, beside what harness computes.
namespace standalone {
#include "harness/package/standalone_inputs.cu"
#include "harness/package/standalone_values.cu"
}  // namespace standalone

using namespace harness;

namespace {

constexpr std::pair<Dtype, standalone::Type> kFloating[] = {
    {Dtype::f64, standalone::Type::f64},   {Dtype::f32, standalone::Type::f32},
    {Dtype::f16, standalone::Type::f16},   {Dtype::bf16, standalone::Type::bf16},
    {Dtype::e4m3, standalone::Type::e4m3}, {Dtype::e5m2, standalone::Type::e5m2}};

bool same(double a, double b) {
  return a == b ? std::signbit(a) == std::signbit(b) : std::isnan(a) && std::isnan(b);
}

}  // namespace

TEST_CASE("every pattern of the small floating types means the same number") {
  for (const auto& [dtype, type] : kFloating) {
    if (storage_bytes(dtype) > 2) continue;
    for (unsigned bits = 0; bits < 1u << (8 * storage_bytes(dtype)); ++bits) {
      const auto stored = static_cast<unsigned short>(bits);
      unsigned char bytes[2];
      std::memcpy(bytes, &stored, 2);
      if (!same(load_as_double(dtype, bytes), standalone::decode(type, bytes)))
        FAIL_CHECK(name(dtype) << " pattern " << bits);
    }
  }
}

TEST_CASE("numbers are rounded to the same bits") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const auto& [dtype, type] : kFloating)
    for (int i = 0; i < 20000; ++i) {
      const double number = std::ldexp(normal(random), static_cast<int>(random() % 60) - 30);
      unsigned char ours[8] = {}, its[8] = {};
      store_rounded(dtype, ours, number);
      standalone::encode(type, number, its);
      if (std::memcmp(ours, its, 8) != 0) FAIL_CHECK(name(dtype) << " of " << number);
    }
}

TEST_CASE("elements lie where their strides say") {
  const standalone::Tensor tensor{"x", standalone::Type::s32, {2, 3}, {5, 1}, 8};
  const standalone::Bytes bytes = standalone::filled(tensor, [](long long i) { return static_cast<double>(i + 1); });
  std::vector<int> stored(8);
  REQUIRE(bytes.size() == 32);
  std::memcpy(stored.data(), bytes.data(), 32);
  CHECK(stored == std::vector<int>{1, 2, 3, 0, 0, 4, 5, 6});
}

TEST_CASE("inputs that are numbers are what their generators promise") {
  const standalone::Numbers lengths = standalone::lengths(3, 7, 2, 9, 31, -1);
  long long sum = 0;
  for (long long length : lengths) {
    CHECK((length >= 2 && length <= 9));
    sum += length;
  }
  CHECK(sum == 31);
  CHECK(standalone::prefix_sum(4, {3, 1, 2}) == standalone::Numbers{0, 3, 4, 6});
  standalone::Numbers order = standalone::permutation(5, 6, 6);
  std::sort(order.begin(), order.end());
  CHECK(order == standalone::Numbers{0, 1, 2, 3, 4, 5});
  const standalone::Numbers table = standalone::block_table(7, 6, {5, 2, 0}, 2, 10, false);
  CHECK(std::count(table.begin(), table.end(), -1) == 3);
  CHECK(std::set<long long>(table.begin(), table.end()).size() == 4);  // three blocks, and -1
  for (long long token = 0; token < 5; ++token) {
    const standalone::Numbers experts = standalone::routing(2, 10, 4, 2);
    CHECK(experts[static_cast<std::size_t>(2 * token)] != experts[static_cast<std::size_t>(2 * token + 1)]);
  }
  double mean = 0;
  for (long long i = 0; i < 4096; ++i) mean += standalone::normal(1, i) / 4096;
  CHECK(std::fabs(mean) < 0.1);
}
