#pragma once
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// Whole numbers that a kernel reads may be indexes: larger ones lead past the end of an array. Such inputs get a limit
/// (`below`), the size for which one less stays inside everywhere and the size itself does not. Shapes must be known.
/// Where no size is such a limit, `seen` gets a question.
void find_indexes(AdoptedKernel& kernel, const Subject& subject, Observer& observer, Seen& seen);

}  // namespace harness::adopt
