#include "harness/system/resource_limits.h"

#include <unistd.h>

#include <sstream>

#include "harness/system/files.h"

namespace harness {

void ResourceLimits::enter() const {
  const auto limit = [](auto resource, rlim_t value) {
    const rlimit both{value, value};
    if (value != RLIM_INFINITY) setrlimit(resource, &both);
  };
  // SIGXCPU first, which tells it from a SIGKILL of somebody else's.
  const rlimit cpu{cpu_s, cpu_s + 2};
  if (cpu_s != RLIM_INFINITY) setrlimit(RLIMIT_CPU, &cpu);
  limit(RLIMIT_AS, memory_bytes);
  limit(RLIMIT_FSIZE, file_bytes);
  limit(RLIMIT_CORE, 0);
}

rlim_t mapped_bytes() {
  std::istringstream statistics(read_file_if_any("/proc/self/statm").value_or(""));
  rlim_t pages = 0;
  statistics >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace harness
