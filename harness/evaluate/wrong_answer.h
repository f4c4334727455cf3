#pragma once
#include "harness/evaluate/evaluation_run.h"
#include "harness/evaluate/launches.h"

// What a failure is told with. None of it decides anything.
namespace harness {

/// The outcome of a launch whose answer was wrong: what failed, the pattern of the wrong elements, what right and wrong
/// points have in common, and which stage of the plan goes wrong. `where` goes before it; "" for the judged launch.
WrongAnswer wrong_answer(EvaluationRun& run, const Launched& launched, Subject& subject, const std::string& where);

/// Where in a candidate of several launches it begins to go wrong, in words. Leaves gates of their own in the record.
std::string try_stages_of(EvaluationRun& run, const Realized& realized, const JudgeProcess::Trusted& trusted,
                          const std::string& form);

/// Tells before what is wrong why it is: a checker sees the missing barrier behind a NaN. Crashes that name their place
/// need none.
void explain(EvaluationRun& run, Outcome& outcome);

}  // namespace harness
