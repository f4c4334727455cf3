#pragma once
#include "harness/evaluate/evaluation_run.h"

// What a runner is given before the first launch: plans with their painted images.
namespace harness {

/// Paints the candidate's first image and loads it into the runner, alone.
Settled prepare_candidate(EvaluationRun& run);
/// Loads it together with its neighbours, where there is an admission that judges them. The candidate was prepared.
Settled prepare_neighbours(EvaluationRun& run);
/// Loads them again, after something else was launched.
Settled reload(EvaluationRun& run);

}  // namespace harness
