#include "harness/system/out_of_memory.h"

#include <sstream>
#include <string>

#include "harness/system/files.h"

namespace harness {

long out_of_memory_kills() {
  std::istringstream counters(read_file_if_any("/proc/vmstat").value_or(""));
  std::string name;
  for (long value = 0; counters >> name >> value;)
    if (name == "oom_kill") return value;
  return 0;
}

}  // namespace harness
