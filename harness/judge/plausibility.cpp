#include "harness/judge/plausibility.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/floor.h"
#include "harness/core/gates.h"

namespace harness::judge {
namespace {

// From a cold time that of two event nodes is subtracted: 3.2 to 3.9 us were measured within minutes on one H200.
constexpr double kEventNodesNs = 1000;

/// The device as it was measured, with the theoretical value where a peak was not.
DeviceInfo as_measured(DeviceInfo device, const MeasuredPeaks& measured) {
  if (measured.bytes_per_s > 0) device.peak_bytes_per_s = measured.bytes_per_s;
  if (measured.exps_per_s > 0) device.peak_exps_per_s = measured.exps_per_s;
  for (const auto& [type, rate] : measured.flops)
    if (rate > 0) device.peak_flops[type] = rate;
  return device;
}

struct Claim {
  const char* name;
  double ns;
  double uncertain_ns;
  int calls;  // under one clock
};

/// The work of one of `calls` calls: as much of the outputs as the L2 holds may be on its way to memory when they end.
Work work_until_the_end(const Problem& problem, const DeviceInfo& device, int calls) {
  const auto held = static_cast<double>(std::min(device.l2_bytes, written_bytes(problem)));
  Work work = problem.work;
  work.bytes = std::max(0.0, work.bytes - held / calls);
  return work;
}

}  // namespace

GateResult plausibility_gate(const Problem& problem, const DeviceInfo& device, const MeasuredPeaks& measured,
                             const Timing& timing) {
  if (timing.emulation) return {name_of(gate::plausibility), true, "an emulated time has no floor", false};
  const Work& work = problem.work;
  const auto floor = floor_ns(work, device);
  if (!floor)
    return {name_of(gate::plausibility), true, "a peak that the work model needs is unknown for this device", false};
  std::vector<Claim> claims{{"time", timing.time_ns, 0, std::max(1, timing.samples.calls_per_sample)}};
  if (timing.cold_ns) claims.push_back({"cold time", *timing.cold_ns, kEventNodesNs, 1});
  for (const Claim& claim : claims) {
    const auto least = floor_ns(work_until_the_end(problem, device, claim.calls), device);
    if (!least || claim.ns + claim.uncertain_ns >= least->ns) continue;
    return {name_of(gate::plausibility), false,
            fmt::format("its {} of {:.4g} us is below the floor of {:.4g} us at the highest clock, which nothing can "
                        "beat: {}",
                        claim.name, claim.ns / 1e3, least->ns / 1e3, least->terms)};
  }
  const auto probe = floor_ns(work, as_measured(device, measured));
  std::string flagged;
  if (probe && timing.time_ns < probe->ns)
    flagged = fmt::format("below what was measured on this device, {:.4g} us ({})", probe->ns / 1e3, probe->terms);
  if (measured.launch_ns > 0 && timing.time_ns < measured.launch_ns)
    flagged += fmt::format("{}below an empty kernel, {:.4g} us", flagged.empty() ? "" : "; ", measured.launch_ns / 1e3);
  if (!flagged.empty())
    return {name_of(gate::plausibility), true, fmt::format("flagged: {:.4g} us is {}", timing.time_ns / 1e3, flagged)};
  return {name_of(gate::plausibility), true,
          fmt::format("{:.4g} us is {:.3g} times the floor of {:.4g} us ({})", timing.time_ns / 1e3,
                      timing.time_ns / floor->ns, floor->ns / 1e3, floor->terms)};
}

}  // namespace harness::judge
