#pragma once
#include <vector>

#include "harness/core/catalog.h"

namespace harness {

/// A few configurations of a space in which each value of each parameter stands at least once, as far as `most` of them
/// can: the space's first one, then greedily the one with the most values that were not tried yet. Of a space that is
/// too large to list, those of its points that are known.
std::vector<Config> covering_configurations(const Space& space, std::size_t most);

}  // namespace harness
