#pragma once
#include <map>
#include <optional>
#include <string>

#include "harness/core/evaluator.h"
#include "harness/evaluate/explain.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// What the cpu device says of a candidate before the GPU judges it elsewhere than at its timed size: a judged launch
/// at a small point of the domain, and the memory checker over it.
struct PreflightResult {
  GateResult gate;                 // "preflight"; not checked where the cpu device cannot run or build it
  std::optional<Outcome> settled;  // it failed: the evaluation ends with this
};

/// Holds workers of the cpu device beside those of the GPU. A build is tried once. While searching, one configuration
/// that was right, or that could not be checked in time, stands for its source, since an instrumented run takes seconds
/// where the GPU takes a fraction of one; a finalist is always tried itself.
class Preflight {
 public:
  explicit Preflight(WorkerPool& cpu) : cpu_(cpu) {}
  void announce(const Realized& realized, bool finalist = false);  // begins its build
  PreflightResult check(const Realized& realized, const Admission* admission, bool finalist);
  /// What the cpu device's memory checker says at this point; nullopt: nothing, or it cannot run it.
  std::optional<std::string> explain(const Realized& realized, const Admission* admission, double seconds) {
    return explain_by_checker(cpu_, {{&realized}}, admission, seconds);
  }

 private:
  PreflightResult try_it(const Realized& realized, const Admission* admission);
  WorkerPool& cpu_;
  std::map<std::string, PreflightResult> known_;      // by build and contract
  std::map<std::string, std::string> tried_sources_;  // source hash -> what came of its first configuration
};

}  // namespace harness
