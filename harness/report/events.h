#pragma once
#include "harness/core/display.h"

namespace harness::report {

// The JSON objects of CLI.md, one an event.
json started_json(const CampaignStarted& event);
json iteration_json(const IterationEnded& event);
/// The iteration object with, in addition, gates, errors, hashes, resources and seeds (`harness eval --json`).
json evaluation_json(const IterationEnded& event);
/// {"event":"proposal"}: what became of a request.
json proposal_json(const ProposalRecord& record);
json pivot_json(const Pivoted& event);
json finished_json(const CampaignSummary& summary);

/// Prints one JSON object a line on stdout and nothing else.
class JsonDisplay : public Display {
 public:
  void started(const CampaignStarted& event) override;
  void iteration(const IterationEnded& event) override;
  void pivoted(const Pivoted& event) override;
  void profiled(const Profiled& event) override;
  void proposed(const ProposalRecord& record) override;
  void progress(const Progress&) override {}
  void finished(const CampaignSummary& summary) override;
};

}  // namespace harness::report
