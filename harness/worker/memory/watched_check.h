#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/core/memory_check.h"
#include "harness/device/port/device_kind.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {

/// These tools of `watcher` on one run of the plan, side by side under one deadline.
std::vector<MemoryCheck> check_memory_watched(const MemoryWatcher& watcher, const std::vector<std::string>& tools,
                                              const Target& target, const Executable& executable,
                                              const SharedMemory& image, double deadline_s,
                                              const std::function<bool()>& stop);

/// The side that is watched: `harness worker watched FOLDER TOOL` runs the job that was written into the folder once.
/// Returns the exit status.
int serve_watched(const DeviceKinds& kinds, const std::string& folder, const std::string& tool);

}  // namespace harness
