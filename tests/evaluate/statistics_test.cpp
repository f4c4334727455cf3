#include "harness/evaluate/statistics.h"

#include <catch2/catch.hpp>
#include <random>

using namespace harness;

TEST_CASE("the median and its interval are order statistics") {
  std::vector<double> samples;
  for (int i = 1; i <= 101; ++i) samples.push_back(i);
  const Estimate estimated = estimate(samples, {});
  CHECK(estimated.median == 51);
  CHECK(estimated.lo == 41);  // 50.5 - 1.96 * sqrt(101) / 2 = 40.65, index 40
  CHECK(estimated.hi == 62);
}

TEST_CASE("few samples give the whole range, and the spread between processes widens it") {
  const std::vector<double> samples{100, 110, 90};
  const Estimate plain = estimate(samples, {});
  CHECK(plain.median == 100);
  CHECK(plain.lo == 90);
  CHECK(plain.hi == 110);
  const Estimate wide = estimate(samples, {0.1, 0});
  CHECK(wide.lo == Approx(85));
  CHECK(wide.hi == Approx(115));
}

TEST_CASE("a verdict needs intervals that do not overlap") {
  CHECK(compare({100, 98, 102, 6}, {110, 108, 112, 6}) == Comparison::faster);
  CHECK(compare({110, 108, 112, 6}, {100, 98, 102, 6}) == Comparison::slower);
  CHECK(compare({100, 98, 105, 6}, {104, 103, 108, 6}) == Comparison::same);
}

TEST_CASE("few samples are a verdict where they lie apart and that is no chance") {
  const auto of = [](std::vector<double> samples) { return estimate(samples, {}); };
  const std::vector<double> three{100, 101, 102}, four{103, 104, 105, 106}, five{103, 104, 105, 106, 107};
  CHECK(compare(of(three), of(five)) == Comparison::faster);  // once in 28 times either way
  CHECK(compare(of(five), of(three)) == Comparison::slower);
  CHECK(compare(of(three), of(four)) == Comparison::same);  // once in 18
  CHECK(compare(of(three), of({200, 210, 220})) == Comparison::faster);
  CHECK(compare(of({100, 101}), of({200, 210, 220})) == Comparison::same);
  CHECK(compare(of({100, 101, 230}), of({200, 210, 220})) == Comparison::same);  // not apart
  // Beside many samples: their whole range counts, not the interval of their median.
  std::vector<double> many;
  for (int i = 0; i < 60; ++i) many.push_back(100 + i);
  CHECK(compare(of({116, 117, 118}), of(many)) == Comparison::same);
  CHECK(compare(of({96, 97, 98}), of(many)) == Comparison::faster);
}

TEST_CASE("a candidate compared with itself is seldom called faster or slower") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(1000, 10), process(1, kProcessSpreadGpu.share / 4);
  int wrong = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    std::vector<double> a, b;
    const double shift_a = process(random), shift_b = process(random);
    for (int i = 0; i < 30; ++i) {
      a.push_back(noise(random) * shift_a);
      b.push_back(noise(random) * shift_b);
    }
    if (compare(estimate(a, kProcessSpreadGpu), estimate(b, kProcessSpreadGpu)) != Comparison::same) ++wrong;
  }
  CHECK(wrong <= 10);
}
