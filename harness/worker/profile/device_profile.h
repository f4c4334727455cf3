#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/core/profile.h"
#include "harness/device/port/device_kind.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {

/// A plan and a painted image of it. The memory stays the caller's, and is not changed.
struct PlanToProfile {
  const Executable* executable = nullptr;
  const SharedMemory* image = nullptr;
};

/// What a device's counters say of plans: the best way that works here (DeviceKind::make_profiler), one process for all
/// plans; each profile's `why` says what kept better ways from working. The caller holds the device, for only one
/// process may profile it at a time. `deadline_s` is of each way; `through`: only this one is tried. Throws
/// Error(environment): the kind has no counters, no way works; DeviceFault: a plan fails.
std::vector<Profile> profile_on_device(const DeviceKind& kind, const Target& target,
                                       std::span<const PlanToProfile> plans, double deadline_s,
                                       const std::function<bool()>& stop,
                                       std::optional<ProfileSource> through = std::nullopt);

/// The profiled side: `harness worker profiled FOLDER WAY` runs the plans that were written into the folder. Returns
/// the exit status.
int serve_profiled(const DeviceKinds& kinds, const std::string& folder, const std::string& way);

}  // namespace harness
