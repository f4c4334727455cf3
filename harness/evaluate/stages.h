#pragma once
#include <string>
#include <vector>

#include "harness/evaluate/worker_pool.h"

namespace harness {

/// What came of one part of a plan, tried alone on right inputs.
struct StageResult {
  std::string name;  // the last one, from the last stage to the end of the plan: "the rest"
  bool right = false;
  bool checked = true;  // false: it could not be tried; `detail` says why
  std::string detail;   // errors against tolerances, the first bad element
};

/// Tries every stage of a candidate of several launches alone, on a fresh draw of this form: each is fed what the
/// stages before it should have handed on (computed by the variant's own plain launches), and the rest is judged like a
/// whole launch. On the cpu device it runs in a process of its own. Replaces what the runner had prepared.
std::vector<StageResult> try_stages(WorkerPool& workers, const Realized& realized, const Artifact& artifact,
                                    const Admission* admission, const JudgeProcess::Trusted& trusted,
                                    const std::string& form, double deadline_s);

}  // namespace harness
