#pragma once
#include "harness/service/asked_evaluation.h"

namespace harness {

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
