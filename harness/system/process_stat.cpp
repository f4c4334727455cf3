#include "harness/system/process_stat.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/system/files.h"

namespace harness {

std::string process_stat(long id, int number) {
  const std::string line = read_file_if_any(fmt::format("/proc/{}/stat", id)).value_or("");
  const auto end_of_name = line.rfind(')');  // a name may hold spaces and parentheses
  if (end_of_name == std::string::npos) return "";
  std::istringstream fields(line.substr(end_of_name + 1));
  std::string field;
  for (int at = 3; at <= number; ++at) fields >> field;
  return fields ? field : "";
}

}  // namespace harness
