#include "harness/core/first_error.h"

#include <algorithm>

namespace harness {

std::string first_error(std::string_view log) {
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    for (const char* mark : {": error", "fatal error", "catastrophic error"})
      if (line.find(mark) != line.npos) return std::string(line);
    log.remove_prefix(std::min(end + 1, log.size()));
  }
  return "";
}

}  // namespace harness
