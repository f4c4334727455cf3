#pragma once
#include <optional>
#include <string>

#include "harness/core/display.h"
#include "harness/service/shell.h"

namespace harness {

/// What ran on a workload, what that found, and in which iteration it is recorded (0: in none).
struct EvaluatedPoint {
  Realized realized;
  AttemptRecord attempt;
  Evaluation evaluation;
  std::int64_t iteration = 0;
  std::string device;
  json recorded = {};  // with `reuse`: the iteration that had evaluated it, in full; nothing ran then

  IterationEnded event() const { return {iteration, attempt, &evaluation, {}, device, false, false}; }
  bool passed() const {
    if (recorded.is_object()) return recorded.value("outcome", "") == "passed";
    return std::holds_alternative<Passed>(evaluation.outcome);
  }
};

/// What every evaluation outside of campaigns needs.
struct EvaluationPlace {
  Catalog& catalog;
  Evaluator& evaluator;
  const Admission& admission;
  Ledger* ledger;  // nullptr: nothing is recorded
  std::optional<double> baseline_ns;
};

/// How much is asked of a candidate.
struct Trial {
  std::optional<Incumbent> incumbent = {};  // it is screened beside this, as a search tries something beside its best
  bool finalist = true;                     // it meets all gates, in fresh processes
};

/// The campaign that single evaluations of a kernel are recorded in.
CampaignRecord record_of_singles(const std::string& kernel, const DeviceInfo& device, const Shell& shell);
/// One evaluation, recorded.
EvaluatedPoint evaluate_one(Realized realized, AttemptRecord attempt, const EvaluationPlace& place, Trial trial = {});

}  // namespace harness
