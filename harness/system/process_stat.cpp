#include "harness/system/process_stat.h"

#include <fmt/format.h>

#include <sstream>

#include "harness/system/files.h"

namespace harness {
namespace {

std::string field_of(const std::string& path, int number) {
  const std::string line = read_file_if_any(path).value_or("");
  const auto end_of_name = line.rfind(')');  // a name may hold spaces and parentheses
  if (end_of_name == std::string::npos) return "";
  std::istringstream fields(line.substr(end_of_name + 1));
  std::string field;
  for (int at = 3; at <= number; ++at) fields >> field;
  return fields ? field : "";
}

}  // namespace

std::string process_stat(long id, int number) {
  return field_of(fmt::format("/proc/{}/stat", id), number);
}

std::string thread_stat(long process, long thread, int number) {
  return field_of(fmt::format("/proc/{}/task/{}/stat", process, thread), number);
}

}  // namespace harness
