#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::cuda {

/// CUDA C++ of judging_kernels.cu with what it builds on. It is also valid for the cpu device, where a test compares
/// what it paints and sums with judge/.
std::string judging_source();
extern const std::vector<std::string> kJudgingEntries;
BuildSpec judging_build();

}  // namespace harness::cuda
