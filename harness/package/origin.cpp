#include "harness/package/origin.h"

#include <algorithm>

namespace harness::package {
namespace {

bool is_standard(const std::string& option) {
  return option.starts_with("--std=") || option.starts_with("-std=");
}

}  // namespace

std::string nvcc_command(const std::vector<std::string>& options, const std::string& architecture) {
  std::string command = "nvcc -arch=" + (architecture.empty() ? "native" : architecture);
  if (std::ranges::none_of(options, is_standard)) command += " --std=c++17";
  for (const std::string& option : options) command += " " + option;
  return command;
}

std::vector<std::string> without_standard(std::vector<std::string> options) {
  std::erase_if(options, is_standard);
  return options;
}

}  // namespace harness::package
