#pragma once
#include <vector>

#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// What one timing of the candidate gave.
struct TimedRun {
  Timing timing;
  std::vector<Samples> samples;      // the candidate's, then the incumbent's
  std::vector<SharedMemory> places;  // GPU: what secretly chosen timed calls left
  std::vector<std::byte> copy;       // cpu: what a secretly chosen timed run left
  DrawId copy_draw;
};

/// Whether what timed calls leave is kept for the judge. Without it a time is good for screening alone.
enum class Audit { none, kept };

/// What the judged launch and its repetitions took: each was right, so they are samples.
Timing timing_of_launches(const EvaluationRun& run);

/// Times the candidate beside the incumbent, in turns. Settled by a failure of the candidate, or as Abandoned.
Settled measure(EvaluationRun& run, Audit audit, TimedRun& timed);

}  // namespace harness
