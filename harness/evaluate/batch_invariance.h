#pragma once
#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// Of a finalist: whether the bits of a row depend on the other rows of its batch. The same rows are launched in
/// batches of other sizes, at other places, and in parts. Where the contract asks it (`properties`) it is a gate, one
/// for each size that it names; else a fact about the outermost dimension of the outputs, which decides nothing.
Settled gate_batch_invariance(EvaluationRun& run);

/// Of a finalist: whether another configuration of its variant leaves the same bits. A fact, which decides nothing.
Settled compare_configurations(EvaluationRun& run);

}  // namespace harness
