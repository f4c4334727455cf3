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

Problem work(double bytes, std::map<std::string, double> flops = {}) {
  Problem problem;
  problem.work = {bytes, std::move(flops), 0};
  return problem;
}

const Problem kWork = work(48e6);  // 10 us at the peak

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
  CHECK(judge::plausibility_gate(work(4.8e6), h200(), {}, timed(3'000, 200)).passed);
  Timing warm = timed(10'100, 12'000);
  warm.warm_ns = 3'000;
  CHECK(judge::plausibility_gate(kWork, h200(), {}, warm).passed);
}

TEST_CASE("what was written last may still be in the L2 when the clock stops") {
  DeviceInfo device = h200();
  device.l2_bytes = 50 << 20;
  Problem problem = work(48e6);
  problem.arguments.resize(1);
  Argument& output = problem.arguments.front();
  output.name = "y";
  output.kind = ArgumentKind::output;
  output.shape = {1000, 6000};  // 24 MB of the 48
  CHECK(judge::plausibility_gate(problem, device, {}, timed(10'100, 8'900)).passed);
  CHECK_FALSE(judge::plausibility_gate(problem, device, {}, timed(10'100, 3'900)).passed);
  device.l2_bytes = 1 << 20;
  CHECK_FALSE(judge::plausibility_gate(problem, device, {}, timed(10'100, 8'700)).passed);
  // Of many calls under one clock only the last leaves something.
  device.l2_bytes = 50 << 20;
  Timing many = timed(9'700);
  many.samples.calls_per_sample = 10;
  CHECK(judge::plausibility_gate(problem, device, {}, many).passed);
  many.samples.calls_per_sample = 2000;
  CHECK_FALSE(judge::plausibility_gate(problem, device, {}, many).passed);
}

TEST_CASE("below what was measured it is flagged and passes") {
  MeasuredPeaks measured;
  measured.bytes_per_s = 4.3e12;
  measured.launch_ns = 516;
  const GateResult gate = judge::plausibility_gate(kWork, h200(), measured, timed(10'500));
  CHECK(gate.passed);
  CHECK(gate.detail.starts_with("flagged"));
  CHECK_FALSE(judge::plausibility_gate(kWork, h200(), measured, timed(12'000)).detail.starts_with("flagged"));
  CHECK(judge::plausibility_gate(work(100), h200(), measured, timed(300)).detail.starts_with("flagged"));
}

TEST_CASE("emulated times and unknown peaks are not checked, which is not passed") {
  Timing emulated = timed(1);
  emulated.emulation = true;
  CHECK_FALSE(judge::plausibility_gate(kWork, h200(), {}, emulated).checked);
  CHECK_FALSE(judge::plausibility_gate(work(0, {{"e4m3", 1e9}}), h200(), {}, timed(1)).checked);
}
