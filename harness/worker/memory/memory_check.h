#pragma once
#include <functional>
#include <vector>

#include "harness/core/memory_check.h"
#include "harness/device/port/device_kind.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {

/// Of what watches a device: every tool, or the first one alone, which slows code down least. An instrumented build is
/// one tool.
enum class MemoryTools { all, quickest };

/// Runs the plan of a DeviceKind::checked_build once on a copy of the painted `image` under every memory checker of the
/// device: the instrumented build (one entry), or each tool of what watches the device, in a process of its own.
/// `deadline_s` holds for all of them together; what no longer fits is reported as not checked.
std::vector<MemoryCheck> check_memory(const DeviceKind& kind, const Target& target, const Executable& executable,
                                      const SharedMemory& image, double deadline_s, const std::function<bool()>& stop,
                                      MemoryTools tools = MemoryTools::all);

}  // namespace harness
