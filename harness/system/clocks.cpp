#include "harness/system/clocks.h"

#include <sys/mman.h>
#include <sys/prctl.h>

#include <algorithm>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

#include "harness/system/files.h"
#include "harness/system/processor.h"

namespace harness {
namespace {

struct Pages {
  unsigned long begin = 0, end = 0;
  bool code = false;  // the vDSO; else the times that it reads
};

// "7ffd1000-7ffd3000 r-xp ... [vdso]". The page [vsyscall] cannot be unmapped; its calls obey seccomp.
std::vector<Pages> pages_of_time() {
  std::istringstream maps(read_file_if_any("/proc/self/maps").value_or(""));
  std::vector<Pages> found;
  for (std::string line; std::getline(maps, line);) {
    const bool code = line.find("[vdso]") != std::string::npos;
    if (!code && line.find("[vvar") == std::string::npos) continue;
    std::istringstream range(line);
    Pages pages{.code = code};
    char dash = 0;
    if (range >> std::hex >> pages.begin >> dash >> pages.end) found.push_back(pages);
  }
  return found;
}

/// The dynamic loader reads names in the vDSO as in any library: a copy that cannot be run takes its place.
bool replace_by_text(const Pages& pages) {
  auto* const place = reinterpret_cast<char*>(pages.begin);
  const std::vector<char> copy(place, reinterpret_cast<char*>(pages.end));
  if (mmap(place, copy.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != place)
    return false;
  std::memcpy(place, copy.data(), copy.size());
  return mprotect(place, copy.size(), PROT_READ) == 0;
}

bool take_away(const Pages& pages) {
  return pages.code ? replace_by_text(pages)
                    : munmap(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin) == 0;
}

}  // namespace

bool hide_clocks() {
  const std::vector<Pages> pages = pages_of_time();
  const bool counter_gone = prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0;
  if (pages.empty() || (!counter_gone && !kInstructionsCannotOverlap)) return false;
  return std::all_of(pages.begin(), pages.end(), take_away);
}

}  // namespace harness
