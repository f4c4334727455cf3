#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "harness/adopt/observe/attempt.h"

// The multiples that sizes must be, and the least of them.
namespace harness::adopt {

using Tiles = std::map<std::string, std::int64_t>;  // size -> what one block covers of it

/// Sizes that a block has a tile of become multiples of it, the others of `step`; all of them of what is asserted.
void set_steps(AdoptedKernel& kernel, std::int64_t step, const Tiles& tiles);
/// Sizes that blocks cover in tiles are observed beyond a few of these.
void reach_beyond(AdoptedKernel& kernel, const Tiles& tiles);

/// The least of each size alone: N / 512 blocks are none below 512.
void find_least(Attempt& attempt);

/// Sizes that need no multiple of the common step lose it again, or get a smaller one; where only the smallest fail
/// (a border is left out of them), they stay as large as the step. True: one did.
bool refine_steps(Attempt& attempt);

/// Vectors hold more elements of a smaller type: the sizes get the steps that each type of the dispatch needs, and a
/// type that runs at none is left out.
void try_other_types(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Seen& seen);

}  // namespace harness::adopt
