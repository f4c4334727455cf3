#pragma once
#include <optional>

#include "harness/campaign/admissions.h"
#include "harness/campaign/context.h"
#include "harness/campaign/failed_sources.h"
#include "harness/campaign/proposals.h"

namespace harness {

/// What is asked of a device about a candidate: which gates, beside what it is timed, and when it may be given up.
class Requests {
 public:
  Requests(CampaignContext& context, const Admissions& admissions, const Proposals& proposals)
      : context_(context), admissions_(admissions), proposals_(proposals) {}

  EvaluationRequest of(const Assignment& work);
  /// Gates that failed: a source that failed one is asked more, or nothing, the next time.
  void note_failed(const FailedGate& failed) { failed_sources_.add(failed); }

 private:
  void send_proposals_along(const Candidate& candidate, EvaluationRequest& request) const;
  void let_it_be_given_up(const Assignment& work, const WorkloadBook& book, EvaluationRequest& request);
  std::optional<Incumbent> incumbent_for(const Assignment& work, const WorkloadBook& book) const;
  bool wants_exact_times(const ArmId& id) const;
  double brief_baseline_s() const;

  CampaignContext& context_;
  const Admissions& admissions_;
  const Proposals& proposals_;
  FailedSources failed_sources_;
};

}  // namespace harness
