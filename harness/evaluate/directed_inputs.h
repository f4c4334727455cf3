#pragma once
#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// Gate "comparisons", of a finalist: on the cpu device, at tiny sizes, a build of the candidate tells how each of its
/// comparisons went. Sizes, forms and magnitudes of the inputs are tried, those first that the two sides of one-sided
/// comparisons name, and what makes a comparison go another way is judged like any other launch. A wrong answer settles
/// where the baseline is right on the same inputs. What went one way only in all of them is told.
///
/// After Redqueen (Aschermann et al., NDSS 2019): what a comparison compares with is often what the input must hold.
Settled gate_comparisons(EvaluationRun& run);

}  // namespace harness
