#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/fit.h"

// What the host's function says of arrays, where it says something: their extents, their order, their bytes.
namespace harness::adopt {

/// Is it as long as a number that the host computes from sizes, numel() say, or a tensor that it makes? These have
/// the sizes in their order.
bool host_says_order(const AdoptedKernel& kernel, const AdoptedParameter& parameter);

/// As the host makes it, where that is as long at all points; and in the order of a number that the host computes of
/// the same sizes.
Fitted as_tensor(Fitted fitted, const AdoptedKernel& kernel, const AdoptedParameter& parameter,
                 const std::vector<FitPoint>& points);

/// The elements that the host allocates, where none further was touched; nothing: it does not say.
std::optional<Fitted> allocation_of(const AdoptedKernel& kernel, const AdoptedParameter& parameter,
                                    const std::vector<FitPoint>& touched);

/// A size that stands in the grid alone and that the kernel does not read from there (gridDim.y): `source` is its text.
bool is_told_nothing_of(const AdoptedKernel& kernel, const std::string& source, const std::string& symbol);

/// The kernel's sizes in the order that arrays most likely have them in: what the kernel is not told comes first, then
/// as the host's function takes them.
std::vector<std::string> symbols_in_order(const AdoptedKernel& kernel, const std::string& source);

}  // namespace harness::adopt
