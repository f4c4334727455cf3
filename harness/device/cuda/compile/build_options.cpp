#include "harness/device/cuda/compile/build_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "harness/core/controls.h"

namespace harness::cuda {
namespace {

// An entry that ends in '=' takes a value.
constexpr std::array<std::string_view, 9> kAllowed = {"--use_fast_math", "--extra-device-vectorization",
                                                      "--restrict",      "--std=",
                                                      "--maxrregcount=", "--fmad=",
                                                      "--ftz=",          "--prec-div=",
                                                      "--prec-sqrt="};

/// NVRTC takes one dash or two; options are compared and passed with two.
std::string with_two_dashes(const std::string& option) {
  return option.starts_with("-") && !option.starts_with("--") ? "-" + option : option;
}

bool is_allowed(std::string_view option) {
  if (is_control(option)) return true;
  return std::any_of(kAllowed.begin(), kAllowed.end(), [&](std::string_view allowed) {
    if (!allowed.ends_with('=')) return option == allowed;
    const auto is_plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '+'; };
    return option.starts_with(allowed) && option.size() > allowed.size() &&
           std::all_of(option.begin() + static_cast<std::ptrdiff_t>(allowed.size()), option.end(), is_plain);
  });
}

}  // namespace

NvrtcOptions nvrtc_options(const BuildSpec& spec, const std::string& architecture, const std::string& toolkit_include) {
  NvrtcOptions result;
  std::vector<std::string>& options = result.options;
  options = {"--gpu-architecture=" + architecture,
             "-default-device",
             "-lineinfo",
             "--ptxas-options=-v",
             "--ptxas-options=--warn-on-spills",
             "--ptxas-options=--warn-on-local-memory-usage"};
  for (const std::string& given : spec.options) {
    const std::string option = with_two_dashes(given);
    if (option == "--lineinfo") continue;  // always there
    if (is_allowed(option)) options.push_back(option);
    else result.refused.push_back(given);
  }
  const bool has_standard =
      std::any_of(options.begin(), options.end(), [](const auto& option) { return option.starts_with("--std="); });
  if (!has_standard) options.push_back("--std=c++17");
  for (const auto& [name, value] : spec.defines) options.push_back("--define-macro=" + name + "=" + value);
  for (const std::string& folder : spec.include_dirs) options.push_back("--include-path=" + folder);
  if (!toolkit_include.empty()) {
    options.push_back("--include-path=" + toolkit_include);
    options.push_back("--include-path=" + toolkit_include + "/cccl");
  }
  return result;
}

std::string allowed_options() {
  std::string text;
  for (std::string_view allowed : kAllowed) text.append(text.empty() ? "" : ", ").append(allowed);
  return text + "; and controls: " + control_kinds();
}

}  // namespace harness::cuda
