#pragma once
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"

namespace harness::flashinfer {

/// A parameter of `run`. One that the kernel does not take has a name of its own.
struct HostParameter {
  std::string name;
  bool tensor = true, whole = false;  // else a number: int64_t or double
};

/// One CUDA source with the kernel of a candidate and the host function `run` for a FlashInfer-Bench solution with the
/// binding "torch": inputs, then outputs, which it writes (destination passing). Grids follow from the tensors' sizes.
/// `parameters`: of `run`, where a definition is given; else inputs and numbers in the contract's order, then outputs.
/// Throws Error(bad_input), one sentence, for launches that such a function does not make: clusters, tensor maps, grids
/// that depend on the device.
std::string cuda_solution_source(const FormulaPlan& plan, const std::string& head,
                                 const std::vector<HostParameter>& parameters = {});

}  // namespace harness::flashinfer
