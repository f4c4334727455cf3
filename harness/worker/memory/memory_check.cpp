#include "harness/worker/memory/memory_check.h"

#include "harness/worker/memory/memory_check_cpu.h"
#include "harness/worker/memory/memory_check_cuda.h"

namespace harness {

BuildSpec checked_build(const Target& target, BuildSpec spec) {
  if (is_cpu(target)) spec.checked = true;
  else spec.options.push_back("-lineinfo");
  return spec;
}

std::vector<MemoryCheck> check_memory(const Target& target, const Executable& executable, const SharedMemory& image,
                                      double deadline_s, const std::function<bool()>& stop) {
  if (is_cpu(target)) return {check_memory_cpu(target, executable, image, deadline_s, stop)};
  return check_memory_cuda(target, executable, image, deadline_s, stop);
}

}  // namespace harness
