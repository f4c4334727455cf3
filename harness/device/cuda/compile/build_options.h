#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::cuda {

/// The options NVRTC is given for `spec`. Those of the spec pass only if they are on the list of harmless ones; any
/// other is put into `refused`.
struct NvrtcOptions {
  std::vector<std::string> options;
  std::vector<std::string> refused;
};

/// `toolkit_include` may be "".
NvrtcOptions nvrtc_options(const BuildSpec& spec, const std::string& architecture, const std::string& toolkit_include);

/// What a person may write in a compile block, for messages.
std::string allowed_options();

}  // namespace harness::cuda
