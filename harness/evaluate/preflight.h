#pragma once
#include <future>
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
/// where the GPU takes a fraction of one; a finalist is always tried itself. One check is under way at a time, in a
/// thread of its own.
class Preflight {
 public:
  explicit Preflight(WorkerPool& cpu) : cpu_(cpu) {}
  void announce(const Realized& realized, bool finalist = false);  // begins its build
  /// Begins the check, for whoever does something else until it asks for the result. Where another is still under way,
  /// begins the build alone.
  void begin(const Realized& realized, const Admission* admission, bool finalist);
  /// Waits for the check. Throws InterruptedWork when stopped.
  PreflightResult check(const Realized& realized, const Admission* admission, bool finalist);
  /// Its workers, when nothing is under way any more.
  WorkerPool& workers() {
    end_what_is_under_way();
    return cpu_;
  }
  /// What the cpu device's memory checker says at this point; nullopt: nothing, or it cannot run it.
  std::optional<std::string> explain(const Realized& realized, const Admission* admission, double seconds);

 private:
  struct UnderWay {
    std::string key, source_hash, config;
    std::future<PreflightResult> result;
  };
  bool is_needed(const Realized& realized, bool finalist) const;
  PreflightResult try_it(const Realized& realized, const Admission* admission);
  void end_what_is_under_way();
  void keep(const UnderWay& done, const PreflightResult& result);
  WorkerPool& cpu_;
  std::map<std::string, PreflightResult> known_;      // by build and contract
  std::map<std::string, std::string> tried_sources_;  // source hash -> what came of its first configuration
  std::optional<UnderWay> under_way_;                 // uses the workers; last, so that it ends before they do
};

}  // namespace harness
