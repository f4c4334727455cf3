#pragma once
#include <functional>
#include <vector>

#include "harness/core/memory_check.h"
#include "harness/core/plan.h"
#include "harness/worker/processes/runner.h"
#include "harness/worker/processes/shared_memory.h"
#include "harness/worker/processes/target.h"

namespace harness {

/// The build whose artifact `check_memory` wants: on cpu the instrumented one, on cuda the same with line numbers.
BuildSpec checked_build(const Target& target, BuildSpec spec);

/// Runs the plan once on a copy of the painted `image` under every memory checker of the device: on cpu the
/// instrumented build (one entry), on cuda compute-sanitizer's four tools, each in a process of its own. `deadline_s`
/// holds for all of them together; what no longer fits is reported as not checked.
std::vector<MemoryCheck> check_memory(const Target& target, const Executable& executable, const SharedMemory& image,
                                      double deadline_s, const std::function<bool()>& stop);

}  // namespace harness
