#include "harness/evaluate/timed_calls.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

Samples times(double rotating, double cold, double warm, double single) {
  Samples samples;
  samples.rotating_ns.assign(12, rotating);
  samples.cold_ns.assign(10, cold);
  samples.warm_ns.assign(5, warm);
  samples.single_warm_ns.assign(5, single);
  return samples;
}

}  // namespace

TEST_CASE("times of honest kernels agree: cold is slowest, single calls have a launch more, graphs overlap") {
  CHECK(check_times(times(3180, 3180, 2760, 3300), true).passed);
  CHECK(check_times(times(2740, 4060, 2270, 4900), true).passed);
  CHECK(check_times(times(751e3, 762e3, 731e3, 735e3), true).passed);
  CHECK(check_times(times(20e3, 31e3, 12e3, 24e3), true).passed);
  CHECK(check_times(times(6050, 8080, 6050, 0), true).passed);
}

TEST_CASE("times that only calls without work explain are refused, in words") {
  const auto refused = [](double rotating, double cold, double warm, double single) {
    const GateResult gate = check_times(times(rotating, cold, warm, single), true);
    CHECK(gate.name == "times-agree");
    CHECK_FALSE(gate.passed);
    return gate.detail;
  };
  CHECK(refused(751e3, 30e3, 750e3, 752e3) ==
        "single calls after a flush take 30 us, but calls on one input set 750 us");
  CHECK(refused(15e3, 755e3, 750e3, 752e3) ==
        "calls in a graph, each on inputs of its own, take 15 us, but single calls on inputs in the L2 752 us");
  CHECK(refused(750e3, 755e3, 15e3, 752e3) ==
        "calls on one input set take 15 us, but single calls on inputs in the L2 752 us");
}

TEST_CASE("one kind of timing alone says nothing about the others") {
  Samples samples;
  samples.rotating_ns.assign(12, 1e6);
  CHECK(check_times(samples, true).passed);
  CHECK_FALSE(check_times(samples, true).checked);
}

TEST_CASE("a timed call that left something else the second time is told with its kind") {
  CHECK(check_twice({}).passed);
  CHECK_FALSE(check_twice({}).checked);
  CHECK(check_twice({2364, 0, std::nullopt}).passed);
  const GateResult gate = check_twice({2364, 230, CallKind::cold});
  CHECK_FALSE(gate.passed);
  CHECK(gate.detail ==
        "230 of 2364 timed calls left something else than a second launch on the same values at another address, "
        "first among the cold ones");
  const GateResult rival = check_twice({127, 42, CallKind::cold}, true);
  CHECK(rival.passed);
  CHECK_FALSE(rival.checked);  // told, and never read as met
  CHECK_THAT(rival.detail, Catch::StartsWith("not deterministic") && Catch::Contains("42 of 127 timed calls"));
}
