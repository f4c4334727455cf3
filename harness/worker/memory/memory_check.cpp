#include "harness/worker/memory/memory_check.h"

#include "harness/worker/memory/instrumented_check.h"
#include "harness/worker/memory/watched_check.h"

namespace harness {

std::vector<MemoryCheck> check_memory(const DeviceKind& kind, const Target& target, const Executable& executable,
                                      const SharedMemory& image, double deadline_s, const std::function<bool()>& stop,
                                      MemoryTools tools) {
  if (const auto watcher = kind.make_watcher()) {
    std::vector<std::string> wanted = watcher->tools();
    if (tools == MemoryTools::quickest) wanted.resize(1);
    return check_memory_watched(*watcher, wanted, target, executable, image, deadline_s, stop);
  }
  return {check_memory_instrumented(kind, target, executable, image, deadline_s, stop)};
}

}  // namespace harness
