#include "harness/core/floor.h"

#include <catch2/catch.hpp>

using namespace harness;
using namespace harness;

namespace {
DeviceInfo gpu() {
  DeviceInfo device;
  device.peak_bytes_per_s = 4.8e12;
  device.peak_flops = {{"bf16", 1e15}, {"f32", 5e13}};
  device.peak_exps_per_s = 4e12;
  return device;
}
}  // namespace

TEST_CASE("the floor is the largest of the times for bytes, flops and exponentials") {
  const auto bytes = floor_ns({65536, {{"bf16", 1e6}}, 0}, gpu());
  REQUIRE(bytes->ns == Approx(13.6533333));
  REQUIRE(bytes->terms == "bytes 65.5 KB / 4.8 TB/s = 0.014 us; bf16 1 MFLOP / 1 PFLOP/s = 0.001 us");
  CHECK(bytes->binds == "bytes");
  REQUIRE(floor_ns({1, {{"bf16", 1e9}, {"f32", 5e7}}, 0}, gpu())->ns == Approx(2000));
  REQUIRE(floor_ns({1, {}, 4e9}, gpu())->ns == Approx(1e6));
  CHECK(floor_ns({1, {{"bf16", 1e9}}, 0}, gpu())->binds == "flops");
  CHECK(floor_ns({1, {}, 4e9}, gpu())->binds == "exps");
}

TEST_CASE("there is no floor for emulation, unknown peaks or no work") {
  DeviceInfo emulated = gpu();
  emulated.emulation = true;
  REQUIRE_FALSE(floor_ns({65536, {}, 0}, emulated).has_value());
  REQUIRE_FALSE(floor_ns({65536, {{"f64", 1}}, 0}, gpu()).has_value());
  REQUIRE(floor_ns({65536, {{"f64", 0}}, 0}, gpu()).has_value());
  REQUIRE_FALSE(floor_ns({0, {}, 0}, gpu()).has_value());
  REQUIRE_FALSE(floor_ns({65536, {}, 0}, DeviceInfo{}).has_value());
}

TEST_CASE("what a call can reach is launch, trips and floor, or is not known") {
  const Work work{65536, {{"bf16", 1e6}}, 0};
  const CallCosts costs{560, 600, 250};
  const auto floor = floor_ns(work, gpu());
  const auto limit = limit_ns(work, gpu(), costs);
  REQUIRE(limit);
  CHECK(limit->ns == Approx(560 + 600 + floor->ns));
  CHECK(limit->terms == "launch 0.56 us + memory 0.60 us + floor 0.014 us");
  Work table = work;
  table.dependent = 2;
  const auto further = limit_ns(table, gpu(), costs);
  CHECK(further->ns == Approx(limit->ns + 2 * 250));
  CHECK(further->terms == "launch 0.56 us + memory 0.60 us + 2 to the L2 0.50 us + floor 0.014 us");
  CHECK_FALSE(limit_ns(work, gpu(), {}));
  CHECK_FALSE(limit_ns(work, gpu(), {560, 0, 250}));
  CHECK_FALSE(limit_ns({65536, {{"f64", 1}}, 0}, gpu(), costs));  // no floor
}

TEST_CASE("costs of a call come from what was measured, or from the facts of a GPU") {
  MeasuredPeaks measured;
  measured.launch_ns = 571;
  measured.memory_trip_ns = 640;
  measured.l2_trip_ns = 260;
  CHECK(call_costs(measured).launch_ns == 571);
  CHECK(call_costs(measured).memory_trip_ns == 640);
  CHECK(call_costs(measured).l2_trip_ns == 260);
  GpuFacts facts;
  facts.launch_ns = 560;
  facts.memory_ns = 450;
  facts.l2_ns = 140;
  CHECK(call_costs(facts).launch_ns == 560);
  CHECK(call_costs(facts).memory_trip_ns == 450);
  CHECK(call_costs(facts).l2_trip_ns == 140);
}
