#include "harness/system/resource_limits.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "harness/core/error.h"
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

void require_descriptors() {
  constexpr rlim_t kNeeded = 128, kEnough = 4096;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  if (files.rlim_cur < kEnough) {
    files.rlim_cur = std::min(files.rlim_max, kEnough);
    setrlimit(RLIMIT_NOFILE, &files);
  }
  if (files.rlim_cur < kNeeded)
    throw environment_error(
        fmt::format("this process may have {} files open and an evaluation needs {}; raise the limit (ulimit -n)",
                    files.rlim_cur, kNeeded));
}

rlim_t mapped_bytes() {
  std::istringstream statistics(read_file_if_any("/proc/self/statm").value_or(""));
  rlim_t pages = 0;
  statistics >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void take_free_cores() {
  constexpr int kNiceness = 10;
  setpriority(PRIO_PROCESS, 0, kNiceness);  // a refusal costs speed alone
}

}  // namespace harness
