#pragma once
#include <filesystem>
#include <vector>

#include "harness/script/contract/sizes.h"

namespace harness::script {

/// input, output and inout.
Argument read_tensor(Sizes& sizes, const Reader& reader, ArgumentKind kind, const std::vector<Argument>& before,
                     const std::filesystem::path& folder);
/// Fills shape and strides (contiguous if not given). Extents are numbers, workload fields, functions, or
/// sum_of { "lengths", capacity = N } for a size that only the drawn data decide: its extent is the capacity.
void read_layout(Sizes& sizes, const Reader& reader, Argument& argument, const std::vector<Argument>& before);

}  // namespace harness::script
