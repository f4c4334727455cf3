#pragma once
#include <variant>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/block_sizes.h"
#include "harness/adopt/observe/subject.h"
#include "harness/core/error.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// A kernel as its runs showed it: roles, shapes, and the steps and limits of its sizes. Questions are open where not
/// all of that could be seen.
struct Observed {
  AdoptedKernel kernel;
  Seen seen;
};

/// A kernel that ran well at no sizes.
struct RanNowhere {
  Error why;
  bool before_begin = false;  // it reached before the first element of an array: the host may pass x + 3
};

/// Runs the kernel at many sizes. Throws Error(bad_input) where it does not compile.
std::variant<Observed, BlockIsSize, RanNowhere> observe(AdoptedKernel kernel, const Subject& subject,
                                                        Observer& observer);

}  // namespace harness::adopt
