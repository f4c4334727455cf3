#pragma once
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/problem/triton.h"
#include "harness/service/shell.h"
#include "harness/service/templates/template_file.h"

namespace harness {

struct NewProblem {
  std::vector<std::string> lines;  // for people: the contract as it was observed
  std::vector<std::string> files;  // that were written, absolute
};

/// A plugin in `folder` for a problem that has no kernel: contract, reference, and the skeleton of a naive kernel. All
/// of it is read again before it is there: on an error, nothing is left. Throws Error(bad_input) for what cannot be
/// taken, Error(environment) without PyTorch.
NewProblem new_problem(const NewArguments& arguments, const std::string& folder, Shell& shell);

/// A file with Triton functions, and what was said of it.
struct TritonAsked {
  std::string file, name;
  std::vector<std::string> sizes;  // "N=4096"
  problem::TritonAnswers answers;
};
/// The same from such a file: its launch is a variant, and PyTorch's reference the baseline.
NewProblem adopted_triton(const TritonAsked& asked, const std::string& folder, Shell& shell);

/// Whether its baseline has been written. Until then there is nothing to compare with: the first kernel that is tried
/// is its own baseline.
bool has_kernel(Catalog& catalog, const std::string& kernel);

}  // namespace harness
