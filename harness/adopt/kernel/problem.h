#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/dtype.h"

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

}  // namespace harness::adopt
