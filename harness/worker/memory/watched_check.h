#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/memory_check.h"
#include "harness/worker/processes/shared_memory.h"
#include "harness/worker/processes/target.h"

namespace harness {

/// compute-sanitizer's memcheck, racecheck, initcheck and synccheck, one after the other under one deadline.
std::vector<MemoryCheck> check_memory_cuda(const Target& target, const Executable& executable,
                                           const SharedMemory& image, double deadline_s,
                                           const std::function<bool()>& stop);

/// The path of compute-sanitizer: in PATH, then in the toolkit's bin folder; "" where there is none.
std::string find_compute_sanitizer();

/// The side that compute-sanitizer watches: `harness worker sanitized FOLDER TOOL` runs the job that was written into
/// the folder once. Returns the exit status.
int serve_sanitized(const std::string& folder, const std::string& tool);

}  // namespace harness
