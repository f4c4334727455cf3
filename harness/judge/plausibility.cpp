#include "harness/judge/plausibility.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/floor.h"

namespace harness::judge {
namespace {

constexpr const char* kName = "plausibility";
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
};

}  // namespace

GateResult plausibility_gate(const Work& work, const DeviceInfo& device, const MeasuredPeaks& measured,
                             const Timing& timing) {
  if (timing.emulation) return {kName, true, "an emulated time has no floor", false};
  const auto floor = floor_ns(work, device);
  if (!floor) return {kName, true, "a peak that the work model needs is unknown for this device", false};
  std::vector<Claim> claims{{"time", timing.time_ns, 0}};
  if (timing.cold_ns) claims.push_back({"cold time", *timing.cold_ns, kEventNodesNs});
  for (const Claim& claim : claims) {
    if (claim.ns + claim.uncertain_ns >= floor->ns) continue;
    return {kName, false,
            fmt::format("its {} of {:.4g} us is below the floor of {:.4g} us at the highest clock, which nothing can "
                        "beat: {}",
                        claim.name, claim.ns / 1e3, floor->ns / 1e3, floor->terms)};
  }
  const auto probe = floor_ns(work, as_measured(device, measured));
  std::string flagged;
  if (probe && timing.time_ns < probe->ns)
    flagged = fmt::format("below what was measured on this device, {:.4g} us ({})", probe->ns / 1e3, probe->terms);
  if (measured.launch_ns > 0 && timing.time_ns < measured.launch_ns)
    flagged += fmt::format("{}below an empty kernel, {:.4g} us", flagged.empty() ? "" : "; ", measured.launch_ns / 1e3);
  if (!flagged.empty()) return {kName, true, fmt::format("flagged: {:.4g} us is {}", timing.time_ns / 1e3, flagged)};
  return {kName, true,
          fmt::format("{:.4g} us is {:.3g} times the floor of {:.4g} us ({})", timing.time_ns / 1e3,
                      timing.time_ns / floor->ns, floor->ns / 1e3, floor->terms)};
}

}  // namespace harness::judge
