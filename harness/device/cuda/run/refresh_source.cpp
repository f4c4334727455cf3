#include "harness/device/cuda/run/refresh_source.h"

#include <sstream>

namespace harness::cuda {
namespace {

const char* const kRandom =
#include "embedded/kernels/include/harness/random.cuh"
    ;
const char* const kForms =
#include "embedded/harness/core/value_forms.cuh"
    ;
const char* const kKernels =
#include "embedded/harness/device/cuda/run/refreshing_kernels.cu"
    ;

}  // namespace

const std::vector<std::string> kRefreshEntries = {"harness_copy", "harness_relocate", "harness_draw", "harness_digest"};

// One text, which is included by nobody and includes nothing: what the parts include is for the host. A text with
// includes would have another key for a builder, who has the toolkit's headers, than for a session, who has none, and
// be compiled anew by each.
std::string refresh_source() {
  std::string text;
  for (const char* const part : {kRandom, kForms, kKernels}) {
    std::istringstream lines(part);
    for (std::string line; std::getline(lines, line); text += '\n')
      if (!line.starts_with("#pragma once") && !line.starts_with("#include")) text += line;
  }
  return text;
}

BuildSpec refresh_build() {
  return {"refreshing_kernels.cu", refresh_source(), kRefreshEntries};
}

}  // namespace harness::cuda
