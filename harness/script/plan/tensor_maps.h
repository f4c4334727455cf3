#pragma once
#include "harness/core/plan.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {

/// tensor_map { "k", box = { 1, 1, 64, 64 }, swizzle = "128b", promotion = "256b" } among the arguments of a launch.
/// `shape`, `strides` and `dtype` are the argument's unless they are given; of a workspace they must be (strides:
/// contiguous). Throws Error where the hardware could not encode it.
TensorMap read_tensor_map(const Reader& launch, const Node& node, const Problem& problem,
                          const std::vector<Workspace>& workspaces);

}  // namespace harness::script
