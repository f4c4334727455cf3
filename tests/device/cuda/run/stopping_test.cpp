#include "harness/device/cuda/run/stopping.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>

using namespace harness;
using namespace harness::cuda;

namespace {

std::vector<double> one_to(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TimingPolicy policy() {
  TimingPolicy policy;
  policy.noise = 0.01;
  policy.max_s = 1;
  policy.min_samples = 12;
  return policy;
}

}  // namespace

TEST_CASE("the interval of the median takes the order statistics of the binomial table") {
  // Ranks of the 95 % interval for n = 6, 12, 20, 100: 1, 3, 6, 40 from either end.
  CHECK(median_interval(one_to(6)).lo == 1);
  CHECK(median_interval(one_to(6)).hi == 6);
  CHECK(median_interval(one_to(12)).lo == 3);
  CHECK(median_interval(one_to(12)).hi == 10);
  CHECK(median_interval(one_to(20)).lo == 6);
  CHECK(median_interval(one_to(20)).hi == 15);
  CHECK(median_interval(one_to(100)).lo == 40);
  CHECK(median_interval(one_to(100)).hi == 61);
  CHECK(median_interval(one_to(12)).median == 6.5);
  CHECK(median_interval(one_to(7)).median == 4);
  CHECK(median_interval({3, 1}).lo == 1);
  CHECK(median_interval({}).median == 0);
}

TEST_CASE("the interval covers the true median in at least 95 of 100 experiments") {
  std::mt19937 random(7);
  std::lognormal_distribution<double> skewed(0, 1);  // median 1
  for (int n : {12, 40, 400}) {
    int covered = 0;
    for (int experiment = 0; experiment < 1000; ++experiment) {
      std::vector<double> samples;
      for (int i = 0; i < n; ++i) samples.push_back(skewed(random));
      const MedianInterval interval = median_interval(samples);
      covered += interval.lo <= 1 && 1 <= interval.hi;
    }
    CHECK(covered >= 935);
  }
}

TEST_CASE("sampling goes on below the least number of samples") {
  const std::vector<std::vector<double>> samples = {std::vector<double>(11, 5.0), std::vector<double>(50, 5.0)};
  CHECK_FALSE(should_stop(samples, 0.1, policy()));
  CHECK_FALSE(should_stop(samples, 1.5, policy()));
}

TEST_CASE("sampling stops when every contender is settled, and not for one alone") {
  std::vector<std::vector<double>> samples = {std::vector<double>(12, 5.0), std::vector<double>(12, 7.0)};
  CHECK(should_stop(samples, 0.1, policy()));
  for (std::size_t i = 0; i < 12; ++i) samples[1][i] = 7.0 * (1 + 0.05 * static_cast<double>(i % 2));
  CHECK_FALSE(should_stop(samples, 0.1, policy()));
}

TEST_CASE("outliers do not keep a settled median waiting") {
  std::vector<double> samples(20, 5.0);
  samples[3] = 11;
  samples[17] = 30;
  CHECK(should_stop(std::vector<std::vector<double>>{samples}, 0.1, policy()));
}

TEST_CASE("time ends noisy sampling, and a contender too slow for enough samples ends later") {
  std::vector<double> noisy = one_to(12);
  CHECK_FALSE(should_stop(std::vector<std::vector<double>>{noisy}, 0.9, policy()));
  CHECK(should_stop(std::vector<std::vector<double>>{noisy}, 1.0, policy()));
  const std::vector<std::vector<double>> slow = {{1, 2, 3}};
  CHECK_FALSE(should_stop(slow, 3.9, policy()));
  CHECK(should_stop(slow, 4.0, policy()));
}

TEST_CASE("sampling stops at once when the first contender is clearly slower than the factor allows") {
  TimingPolicy policy;
  policy.abandon_factor = 2;
  const std::vector<std::vector<double>> slow{std::vector<double>(6, 210), std::vector<double>(6, 100)},
      near{{150, 160, 170, 150, 160, 170}, std::vector<double>(6, 100)};
  CHECK(should_stop(slow, 0.001, policy));
  CHECK_FALSE(should_stop(near, 0.001, policy));
  CHECK_FALSE(should_stop(std::vector<std::vector<double>>{std::vector<double>(6, 210)}, 0.001, policy));
  policy.abandon_factor = 0;
  CHECK_FALSE(should_stop(slow, 0.001, policy));
}
