#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/core/proposal.h"
#include "harness/service/shell.h"

namespace harness {

/// Where and by whom first kernels are written.
struct FirstKernels {
  Proposer* proposer = nullptr;  // nullptr: there is none
  double deadline_s = 300;       // of one request
  std::string device = "auto";
};

/// Has the proposer write the baseline of each of these kernels that has none yet (`harness new kernel --from`): it is
/// asked at most four times, each time with what was wrong, and what passes all gates becomes variants/00_naive.
/// Throws Error(bad_input) where nobody writes one, or none was right.
void write_first_kernels(const std::vector<std::string>& kernels, const FirstKernels& by, Shell& shell);

/// The source of a kernel's baseline that passed all gates: it is written into the plugin's folder.
void keep_first_kernel(Catalog& catalog, const std::string& kernel, const std::string& source);

}  // namespace harness
