#pragma once
#include <optional>
#include <string>

#include "harness/adopt/observe/observing.h"

namespace harness::adopt {

/// A kernel whose arrays are as large as a number of the host's function says that its block is made of: one row for
/// each block, one element for each thread. It is a size of the problem, and the kernel is read again with it.
struct BlockIsSize {
  std::string name;
};

/// Launches with another value of each number that was taken for a tunable block: the first with which an array is
/// touched elsewhere than before. The kernel must be understood.
std::optional<BlockIsSize> block_that_is_size(const Observing& observing);

}  // namespace harness::adopt
