#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"

namespace harness::adopt {

/// Where a kernel is observed: values of its sizes that meet its conditions.

/// Up to `count`, drawn by `seed`, each size a multiple of its step; products stay small, and so do the launches
/// (AdoptedKernel::most_threads). One empty point where there are no sizes.
std::vector<Values> points_of(const AdoptedKernel& kernel, std::size_t count, unsigned seed);

/// Each size at its smallest but one.
Values small_point(const AdoptedKernel& kernel);

/// One size at its smallest few values, the others small, and each of them far above it once.
std::vector<Values> corners_of(const AdoptedKernel& kernel, const AdoptedSize& size);

/// What one block covers of a size, by its symbol: 128 of cdiv(n, 128).
std::map<std::string, std::int64_t> tiles_of(const AdoptedKernel& kernel);

/// A number of blocks that the kernel is not told: it needs no multiple of anything.
bool counts_blocks(const AdoptedKernel& kernel, const AdoptedSize& size);

}  // namespace harness::adopt
