#pragma once
#include <filesystem>
#include <vector>

#include "harness/script/contract/sizes.h"

namespace harness::script {

/// The arguments of a kernel manifest on one workload, in the order of the reference's signature: every shape, stride,
/// option and value a number. Throws Error naming the constructor's line.
std::vector<Argument> read_arguments(Sizes& sizes, const Reader& kernel, const std::filesystem::path& folder);

}  // namespace harness::script
