#include "harness/device/cuda/compile_log.h"

#include <algorithm>
#include <charconv>

namespace harness::cuda {
namespace {

/// The number that stands directly before `unit`, as in "16 bytes spill stores"; 0 if the line has none.
std::int64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos || end == 0) return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

std::string_view between_quotes(std::string_view line) {
  const std::size_t begin = line.find('\'');
  const std::size_t end = line.find('\'', begin + 1);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return line.substr(begin + 1, end - begin - 1);
}

}  // namespace

std::map<std::string, LoggedResources> parse_ptxas_log(std::string_view log) {
  std::map<std::string, LoggedResources> entries;
  LoggedResources* current = nullptr;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (!line.starts_with("ptxas")) continue;
    if (line.find("Compiling entry function") != std::string_view::npos) {
      current = &(entries[std::string(between_quotes(line))] = {});
    } else if (current && line.find("bytes spill stores") != std::string_view::npos) {
      current->spill_bytes += number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    } else if (current && line.find(": Used ") != std::string_view::npos) {
      current->static_shared_bytes = number_before(line, " bytes smem");
    }
  }
  return entries;
}

}  // namespace harness::cuda
