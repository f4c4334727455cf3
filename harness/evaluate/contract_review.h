#pragma once
#include "harness/core/evaluator.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// Draws a contract's inputs a few times and computes their references: what cannot be judged by these is a problem.
/// Throws Error(bad_input) where the reference does not compile.
ContractReview review_draws(WorkerPool& workers, const Realized& baseline);

/// Runs the reference once under the memory checker, at a small point on an emulation; its faults are problems.
void check_reference(WorkerPool& emulation, const Realized& small, ContractReview& review);

}  // namespace harness
