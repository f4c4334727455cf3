#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "harness/device/cuda/run/input_sets.h"
#include "harness/device/cuda/run/timed_plan.h"

using namespace harness::cuda;

namespace {
constexpr std::int64_t kMega = 1 << 20;
}

TEST_CASE("input sets together have 4 GB and exceed the L2 many times, within memory and what a graph can have") {
  CHECK(count_sets(8 * kMega, 3, 60 * kMega, 10000 * kMega) == 512);
  CHECK(count_sets(8 * kMega, 3, 640 * kMega, 10000 * kMega) == 640);
  CHECK(count_sets(1000, 3, 60 * kMega, 1000 * kMega) == kMostCalls);
  CHECK(count_sets(300 * kMega, 2, 60 * kMega, 10000 * kMega) == 14);
  CHECK(count_sets(100 * kMega, 6, 60 * kMega, 1000 * kMega) == 2);  // six more are kept beside them
  CHECK(count_sets(3000 * kMega, 5, 60 * kMega, 1000 * kMega) == 1);
  CHECK(set_stride(0) == 4096);
  CHECK(set_stride(4097) == 8192);
}

TEST_CASE("sets lie apart, in an order and with gaps that nobody can know") {
  std::mt19937_64 chance(7);
  for (const std::int64_t bytes : {std::int64_t{1000}, std::int64_t{200000}, 3 * kMega}) {
    const auto places = place_sets(bytes, 60, chance);
    auto sorted = places;
    std::ranges::sort(sorted);
    std::set<std::int64_t> gaps;
    for (std::size_t i = 1; i < sorted.size(); ++i) gaps.insert(sorted[i] - sorted[i - 1] - set_stride(bytes));
    CHECK(*gaps.begin() >= 0);
    CHECK(*gaps.rbegin() <= most_gap(bytes));
    CHECK(gaps.size() > (bytes < 4096 ? 1 : 4));
    CHECK(sorted.back() + set_stride(bytes) <= 60 * (set_stride(bytes) + most_gap(bytes)));
    CHECK(places != sorted);
    CHECK(places != place_sets(bytes, 60, chance));
    for (const std::int64_t place : places) CHECK(place % 4096 == 0);
  }
}

TEST_CASE("a graph lasts about a millisecond and uses no set twice") {
  for (double call_ns : {600.0, 5000.0, 24000.0, 49000.0, 2e5, 3e6}) {
    for (std::int64_t sets : {1, 3, 30, 64, 2048, 4096}) {
      const std::int64_t calls = calls_in_graph(call_ns, sets);
      CAPTURE(call_ns, sets, calls);
      CHECK(calls >= 1);
      CHECK(calls <= sets);
      if (calls < sets && calls < 1000) CHECK(static_cast<double>(calls) * call_ns >= 1e6);
    }
  }
  CHECK(calls_in_graph(5000, 2048) == 200);
  CHECK(calls_in_graph(5000, 64) == 64);
  CHECK(calls_in_graph(1e6, 4096) == 1);
  CHECK(calls_in_graph(10, 4096) == 1000);
}
