#include "harness/judge/plausibility.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

DeviceInfo h200() {
  DeviceInfo device;
  device.device = "cuda:0";
  device.peak_bytes_per_s = 4.8e12;
  return device;
}

Timing timed(double ns, std::optional<double> cold = std::nullopt) {
  Timing timing;
  timing.time_ns = ns;
  timing.cold_ns = cold;
  return timing;
}

const Work kWork{48e6, {}, 0};  // 10 us at the peak

}  // namespace

TEST_CASE("a time below the floor is refused, with the sum, and never clamped") {
  const GateResult gate = judge::plausibility_gate(kWork, h200(), {}, timed(9'900));
  CHECK_FALSE(gate.passed);
  CHECK(gate.detail.find("9.9 us") != std::string::npos);
  CHECK(gate.detail.find("4.8 TB/s") != std::string::npos);
  CHECK(judge::plausibility_gate(kWork, h200(), {}, timed(10'100)).passed);
}

TEST_CASE("so is a cold time, while a warm one may beat DRAM") {
  CHECK_FALSE(judge::plausibility_gate(kWork, h200(), {}, timed(10'100, 8'900)).passed);
  // What is subtracted from it is known to a microsecond: nothing may be said of a kernel that takes less.
  CHECK(judge::plausibility_gate({4.8e6, {}, 0}, h200(), {}, timed(3'000, 200)).passed);
  Timing warm = timed(10'100, 12'000);
  warm.warm_ns = 3'000;
  CHECK(judge::plausibility_gate(kWork, h200(), {}, warm).passed);
}

TEST_CASE("below what was measured it is flagged and passes") {
  MeasuredPeaks measured;
  measured.bytes_per_s = 4.3e12;
  measured.launch_ns = 516;
  const GateResult gate = judge::plausibility_gate(kWork, h200(), measured, timed(10'500));
  CHECK(gate.passed);
  CHECK(gate.detail.starts_with("flagged"));
  CHECK_FALSE(judge::plausibility_gate(kWork, h200(), measured, timed(12'000)).detail.starts_with("flagged"));
  CHECK(judge::plausibility_gate({100, {}, 0}, h200(), measured, timed(300)).detail.starts_with("flagged"));
}

TEST_CASE("emulated times and unknown peaks are not checked, which is not passed") {
  Timing emulated = timed(1);
  emulated.emulation = true;
  CHECK_FALSE(judge::plausibility_gate(kWork, h200(), {}, emulated).checked);
  CHECK_FALSE(judge::plausibility_gate({0, {{"e4m3", 1e9}}, 0}, h200(), {}, timed(1)).checked);
}
