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
