#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/device.h"
#include "harness/core/outcome.h"
#include "harness/judge/reference.h"

// Trusted device code beside the reference: `custom` generators and comparisons, options {source, entry, threads, of}.
// Like the reference they run in 1-D blocks of 128, threads past `threads` (default: one for each element) do nothing,
// and after the arguments below come the sizes of the reference as long long.
//   generator:  for each input that `of` names a const T*, in its shape and strides; then
//               T* out, unsigned long long seed              fills an input of the argument's shape and strides
//   comparison: const T* got, const double* (integers: const T*) reference, double* verdict
//               adds to or sets verdict[0], the number of wrong elements (0: it passes), and may set verdict[1], an
//               error to be shown; both start at 0
namespace harness::judge {

std::vector<std::string> custom_sources(const Problem& problem);  // distinct absolute paths
BuildSpec custom_build(const Problem& problem, const std::string& path, const std::string& source);

/// A launch of custom code: the source it comes from, what to run (without its artifact), and its image.
struct CustomJob {
  std::string source;
  Executable executable;
  std::vector<std::byte> image;
};

/// `image`, of `layout`, holds the inputs that the argument is drawn from.
CustomJob custom_draw_job(const Problem& problem, const Argument& argument, std::uint64_t seed,
                          const ImageLayout& layout, std::span<const std::byte> image);
/// Copies what the job drew into a painted image.
void place_custom_draw(const Argument& argument, const CustomJob& job, const ImageLayout& layout,
                       std::span<std::byte> image);

/// Names of the outputs with a custom comparison.
std::vector<std::string> needs_custom_compare(const Problem& problem);
CustomJob custom_compare_job(const Problem& problem, const Argument& argument, const ImageLayout& layout,
                             std::span<const std::byte> after, const ReferenceArray& reference);
/// The gate that the job decided, for `judge`.
GateResult read_custom_compare(const CustomJob& job);

}  // namespace harness::judge
