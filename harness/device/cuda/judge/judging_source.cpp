#include "harness/device/cuda/judge/judging_source.h"

#include "harness/device/cuda/run/refresh_source.h"

namespace harness::cuda {
namespace {

const char* const kJudgingKernels =
#include "embedded/harness/device/cuda/judge/judging_kernels.cu"
    ;

}  // namespace

const std::vector<std::string> kJudgingEntries = {
    "harness_paint_pattern", "harness_paint", "harness_changed", "harness_gather",     "harness_reference_sums",
    "harness_row_norms",     "harness_total", "harness_compare", "harness_row_errors", "harness_changed_units"};

std::string judging_source() {
  return refresh_source() + kJudgingKernels;
}

BuildSpec judging_build() {
  return {"judging_kernels.cu", judging_source(), kJudgingEntries};
}

}  // namespace harness::cuda
