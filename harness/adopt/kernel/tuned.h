#pragma once
#include "harness/adopt/kernel/declared.h"
#include "harness/adopt/kernel/kernel.h"

// What becomes a parameter of the variant.
namespace harness::adopt {

/// A template argument of the kernel, a name in its launch, or a macro or constant of the file.
void bind_tuned(AdoptedKernel& kernel, const Source& source);
/// The first value of each is the one that stands in the file for this launch (nullptr: there is none), where a number
/// does: the original is what is observed, and the baseline. Where it is also the number of threads that the launch
/// says, these follow it, with what is computed from them. `block_said`: those of "block" alone, for --block says what
/// they are. Throws Error(bad_input): "block" of a launch whose block has several extents.
void begin_with_the_originals(AdoptedKernel& kernel, const Source& source, const HostLaunch* launch, bool block_said);
/// Names in the block's size that nobody gives a value are what the host would tune. True: there were such.
bool tune_blocks(AdoptedKernel& kernel, const Declared& declared, const HostLaunch* first);
/// A value that a template needs and that no launch, option or default gives.
void refuse_open_templates(const AdoptedKernel& kernel, const Source& source);

}  // namespace harness::adopt
