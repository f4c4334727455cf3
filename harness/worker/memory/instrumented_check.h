#pragma once
#include <functional>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/memory_check.h"
#include "harness/device/cpu/check/finding.h"
#include "harness/worker/processes/shared_memory.h"
#include "harness/worker/processes/target.h"

namespace harness {

/// Runs the plan of a checked build (checked_build) on a copy of `image` in a runner of its own. A fault and the end of
/// the process are findings too; a deadline, a refusal or an ordinary build are not checked.
MemoryCheck check_memory_cpu(const Target& target, const Executable& executable, const SharedMemory& image,
                             double deadline_s, const std::function<bool()>& stop);

/// For people: places resolved by `lines`, one finding for each kind and pair of lines, at most 20. What the
/// candidate's process said is not trusted: unknown kinds become "other", texts are cut and cleaned.
std::vector<Finding> describe_findings(const std::vector<cpu::RawFinding>& raw,
                                       const std::map<std::uint64_t, std::string>& lines);

}  // namespace harness
