#pragma once
#include <filesystem>

#include "harness/script/contract/sizes.h"

namespace harness::script {

/// `gen = normal { std = 2 }` on a workload: every option resolved to a number, except names of other arguments
/// (prefix_sum's `of`, block_table's `lengths`), which must be in `inputs`, the tensors declared so far. A custom
/// generator's source becomes an absolute path inside `folder`.
Generator read_generator(Sizes& sizes, const Reader& argument, const std::vector<Argument>& before,
                         const std::filesystem::path& folder);
/// Without `gen`: normal for floating types; an Error for integers, whose range nobody can guess.
Generator default_generator(const Reader& argument, Dtype dtype);

/// `compare = quantized { scale = "scale", steps = 1 }`; without it relative for floating types, exact for integers.
/// A tolerance of 0 is the default of its kind. Names of arguments are checked by check_comparisons.
Compare read_compare(Sizes& sizes, const Reader& argument, Dtype dtype, const std::filesystem::path& folder);
/// Error if a comparison names an argument that the kernel does not have.
void check_comparisons(const Reader& kernel, const std::vector<Argument>& arguments);

/// The absolute path of a plugin's own file; Error if it leaves the folder or is not there.
std::filesystem::path own_file(const Reader& where, const std::filesystem::path& folder, const std::string& name);

}  // namespace harness::script
