#pragma once
#include <functional>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/memory_check.h"
#include "harness/worker/shared_memory.h"
#include "harness/worker/target.h"

namespace harness {

MemoryCheck check_memory_cpu(const Target& target, const Executable& executable, const SharedMemory& image,
                             double deadline_s, const std::function<bool()>& stop);

}  // namespace harness
