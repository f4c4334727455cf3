#include "harness/evaluate/measure.h"

#include <catch2/catch.hpp>

#include "harness/evaluate/limits.h"

using namespace harness;

namespace {

constexpr TimingPolicy kPolicy{.noise = 0.1, .max_s = 0.1, .min_samples = 6, .cold = false};

Samples taken(std::vector<double> times_ns) {
  Samples samples;
  samples.rotating_ns = std::move(times_ns);
  return samples;
}

}  // namespace

TEST_CASE("a launch that is emulated is not given up by the time that is predicted for a GPU") {
  DeviceInfo cpu;
  cpu.emulation = true;
  CHECK(run_deadline({}, time_to_wait_for(cpu, 487'064)) < 1.02);
  cpu.predicts = "H200";
  CHECK(run_deadline({}, time_to_wait_for(cpu, 487'064)) == Limits{}.run_s);
}

TEST_CASE("six rounds are taken, within ten times the allowed time") {
  const std::vector<Samples> alone{taken({100, 100, 100})};
  CHECK(another_round(0, 5, {}, kPolicy));
  CHECK(another_round(3, 0.9, alone, kPolicy));
  CHECK_FALSE(another_round(3, 1.1, alone, kPolicy));
}

TEST_CASE("rounds end when times are quiet or the allowed time is over") {
  const std::vector<Samples> still{taken({100, 101, 100, 101, 100, 101})};
  const std::vector<Samples> noisy{taken({100, 190, 100, 180, 100, 150})};
  CHECK_FALSE(another_round(6, 0.01, still, kPolicy));
  CHECK(another_round(6, 0.01, noisy, kPolicy));
  CHECK_FALSE(another_round(6, 0.11, noisy, kPolicy));
}

TEST_CASE("a stray sample between two contenders that are plainly apart is outvoted, not believed") {
  std::vector<Samples> apart{taken({900, 910, 905, 900, 910, 905}), taken({100, 101, 2000, 100, 101, 100})};
  CHECK(another_round(6, 0.5, apart, kPolicy));
  CHECK_FALSE(another_round(6, 1.1, apart, kPolicy));
  apart[1].rotating_ns[2] = 110;
  CHECK_FALSE(another_round(6, 0.11, apart, kPolicy));
  // As fast as each other: more samples would tell nothing that is worth them.
  const std::vector<Samples> alike{taken({100, 101, 130, 100, 101, 100}), taken({100, 101, 120, 100, 101, 100})};
  CHECK_FALSE(another_round(6, 0.11, alike, kPolicy));
}

TEST_CASE("a clearly slower candidate is given up") {
  TimingPolicy policy = kPolicy;
  policy.abandon_factor = 2;
  const std::vector<Samples> slow{taken({900, 1900, 905, 900, 1900, 905}), taken({100, 101, 100, 100, 101, 100})};
  CHECK(another_round(6, 0.01, slow, kPolicy));
  CHECK_FALSE(another_round(6, 0.01, slow, policy));
}

TEST_CASE(
    "where only the faster of two is asked, four samples each that lie apart are enough, and three if plainly so") {
  TimingPolicy policy = kPolicy;
  policy.until_verdict = true;
  const std::vector<Samples> slower{taken({9e5, 9.2e5, 9e5, 9.9e5}), taken({5e5, 5.3e5, 5e5, 5.6e5})};
  CHECK_FALSE(another_round(4, 0.01, slower, policy));
  CHECK_FALSE(another_round(4, 0.01, {slower[1], slower[0]}, policy));
  CHECK(another_round(4, 0.01, slower, kPolicy));
  const std::vector<Samples> three{taken({9e5, 9.2e5, 9e5}), taken({6.5e5, 6.6e5, 6.5e5})};
  CHECK(another_round(3, 0.01, three, policy));
  const std::vector<Samples> plainly{taken({9e5, 9.2e5, 9e5}), taken({5e5, 5.3e5, 5e5})};
  CHECK_FALSE(another_round(3, 0.01, plainly, policy));
  CHECK(another_round(2, 0.01, {taken({9e5, 9.2e5}), taken({5e5, 5.3e5})}, policy));
  // One sample overlaps, or all lie within what processes of one kernel differ by: more are taken.
  const std::vector<Samples> overlap{taken({9e5, 5.2e5, 9e5, 9.9e5}), taken({5e5, 5.3e5, 5e5, 5.6e5})};
  CHECK(another_round(4, 0.01, overlap, policy));
  const std::vector<Samples> close{taken({5.4e5, 5.5e5, 5.4e5, 5.5e5}), taken({5e5, 5.1e5, 5e5, 5.1e5})};
  CHECK(another_round(4, 0.01, close, policy));
  CHECK(another_round(4, 0.01, {slower[0]}, policy));
}
