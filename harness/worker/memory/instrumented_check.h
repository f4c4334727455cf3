#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "harness/core/memory_check.h"
#include "harness/device/port/device_kind.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {

/// Runs the plan of a checked build on a copy of `image` in a runner of its own. A fault and the end of the process are
/// findings too; a deadline, a refusal or an ordinary build are not checked.
MemoryCheck check_memory_instrumented(const DeviceKind& kind, const Target& target, const Executable& executable,
                                      const SharedMemory& image, double deadline_s, const std::function<bool()>& stop);

/// For people: places resolved by `lines`, one finding for each kind and pair of lines, at most 20. What the
/// candidate's process said is not trusted: unknown kinds become "other", texts are cut and cleaned.
std::vector<Finding> describe_findings(const std::vector<RawFinding>& raw,
                                       const std::map<std::uint64_t, std::string>& lines);

}  // namespace harness
