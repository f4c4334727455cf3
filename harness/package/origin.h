#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::package {

/// Where a written source came from: what its head says.
struct Origin {
  std::string evaluation;     // "iteration 12 of campaign 3, passed, confirmed"
  std::string program;        // "harness 0.1.0 (revision)"
  std::string architecture;   // "sm_90a"; "" where it was evaluated on no GPU
  std::string contract_hash;  // as recorded
};

/// "nvcc -gencode=arch=compute_90a,code=sm_90a --std=c++17 ...", without files. `options` are a build's.
std::string nvcc_command(const std::vector<std::string>& options, const std::string& architecture);

/// Without --std: the standards of two sources need not agree.
std::vector<std::string> without_standard(std::vector<std::string> options);

}  // namespace harness::package
