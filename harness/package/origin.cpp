#include "harness/package/origin.h"

#include <algorithm>

namespace harness::package {
namespace {

bool is_standard(const std::string& option) {
  return option.starts_with("--std=") || option.starts_with("-std=");
}

// In full: with -arch=sm_90a alone nvcc 13 was seen to compile for sm_90 besides, which has no wgmma.
std::string target_of(const std::string& architecture) {
  if (!architecture.starts_with("sm_")) return "-arch=native";
  return "-gencode=arch=compute_" + architecture.substr(3) + ",code=" + architecture;
}

}  // namespace

std::string nvcc_command(const std::vector<std::string>& options, const std::string& architecture) {
  std::string command = "nvcc " + target_of(architecture);
  if (std::ranges::none_of(options, is_standard)) command += " --std=c++17";
  for (const std::string& option : options) command += " " + option;
  return command;
}

std::vector<std::string> without_standard(std::vector<std::string> options) {
  std::erase_if(options, is_standard);
  return options;
}

}  // namespace harness::package
