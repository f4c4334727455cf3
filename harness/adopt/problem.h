#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/adopt/kernel.h"

// A problem that is defined elsewhere (a FlashInfer-Bench definition), which a kernel is said to solve. What was
// observed of the kernel is compared with it, and then has the problem's shapes and sizes.
namespace harness::adopt {

struct ProblemTensor {
  std::string name;
  Dtype dtype = Dtype::f32;
  std::vector<std::string> axes;  // outermost first
  bool output = false;
};

struct Problem {
  std::string name;
  std::vector<std::pair<std::string, std::optional<std::int64_t>>> axes;  // with a value: constant
  std::vector<ProblemTensor> tensors;                                     // inputs, then outputs, in their order
  std::map<std::string, double> scalars;                                  // by name; the same at all workloads
  std::vector<std::map<std::string, std::int64_t>> workloads;             // values of the variable axes
};

/// Which tensor of the problem each pointer of the kernel is: by name, else in their order.
using Matched = std::map<std::string, std::string>;

/// Gives the kernel's sizes the problem's values, its pointers the problem's shapes and its numbers the problem's.
/// Roles must be known (observe()). Throws Error(bad_input) where the kernel takes other tensors or no choice of axes
/// for its sizes makes its arrays as long as the problem's.
Matched match_problem(AdoptedKernel& kernel, const Problem& problem);

/// Of a kernel for several types: the first that is one of `wanted`.
void choose_dtype(AdoptedKernel& kernel, const std::vector<Dtype>& wanted);

}  // namespace harness::adopt
