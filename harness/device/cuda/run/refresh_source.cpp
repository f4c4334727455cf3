#include "harness/device/cuda/run/refresh_source.h"

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

std::string refresh_source() {
  std::string text;  // one: it is included by nobody
  for (std::string part : {kRandom, kForms, kKernels}) {
    const std::string once = "#pragma once";
    if (const auto at = part.find(once); at != std::string::npos) part.erase(at, once.size());
    text += part;
  }
  return text;
}

BuildSpec refresh_build() {
  return {"refreshing_kernels.cu", refresh_source(), kRefreshEntries};
}

}  // namespace harness::cuda
