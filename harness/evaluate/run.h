#pragma once
#include "harness/evaluate/failed_launch.h"

namespace harness {

/// One evaluation, step by step. Each step either goes on or settles the outcome; each leaves a gate with its evidence,
/// in this order: source-policy, compile, source-policy:ptx and :sass, entries, arguments, resources, state, (no
/// effect), preflight, the judged launch, determinism, forms and shapes, sizes, timing, timed calls launched twice,
/// agreement of times, secretly chosen timed calls, the launch after timing, plausibility, memory (of a GPU: after
/// sizes, for it ran beside them), comparisons, unreached; and where something is wrong, what a memory checker says of
/// it. A request that screens has the judged launch, determinism and a timing of its own before the pre-flight.
///
/// `failed`: the launch that an earlier try ended with, which comes first; gives the one that this try ends with.
Evaluation run_gates(const EvaluationRequest& request, const RunSettings& settings, WorkerPool& workers,
                     std::optional<FailedLaunch>& failed);

}  // namespace harness
