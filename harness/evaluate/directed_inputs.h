#pragma once
#include <atomic>
#include <future>
#include <vector>

#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// What the search leaves for the record.
struct ComparisonFindings {
  std::vector<GateResult> rows;
  Settled settled;
  bool failed_twice = false;  // Evaluation::failed_twice
};

/// Gates "comparisons" and "unreached", of a finalist: on the cpu device, at tiny sizes, a build of the candidate tells
/// how each of its comparisons went. Sizes, forms and magnitudes of the inputs are tried, those first that the two
/// sides of one-sided comparisons name, and what makes a comparison go another way is judged like any other launch. A
/// wrong answer settles where the baseline is right on the same inputs. What went one way only in all of them is told.
///
/// Beside a GPU it runs from its birth on, on workers of its own, while the GPU's gates go on; where the cpu device is
/// the device itself, within finish(): there both would want the same cores.
///
/// After Redqueen (Aschermann et al., NDSS 2019): what a comparison compares with is often what the input must hold.
class ComparisonSearch {
 public:
  explicit ComparisonSearch(EvaluationRun& run);
  ~ComparisonSearch();  // a search that nobody waits for ends with the launch under way
  ComparisonSearch(const ComparisonSearch&) = delete;
  ComparisonSearch& operator=(const ComparisonSearch&) = delete;
  /// Waits for it, and adds its rows.
  Settled finish();

 private:
  EvaluationRun& run_;
  std::atomic<bool> ended_ = false;
  ComparisonFindings found_;
  std::future<ComparisonFindings> under_way_;  // last: its end waits for what uses the others
};

}  // namespace harness
