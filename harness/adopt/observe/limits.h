#pragma once
#include "harness/adopt/observe/attempt.h"

namespace harness::adopt {

/// Each size alone far up: what a block cannot hold ends there. Where a launch at 256 takes long already, the sizes are
/// tried from there on upwards, for a while; where it does not end, what is larger does not either.
void find_limits(Attempt& attempt);

/// The sizes of the host's own program: where arrays are not there what smaller sizes said, a person is asked.
void try_sizes_of_host(Attempt& attempt, Seen& seen);

}  // namespace harness::adopt
