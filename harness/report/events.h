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
json profiled_json(const Profiled& event);
json finished_json(const CampaignSummary& summary);

/// Prints one JSON object a line on stdout and nothing else.
class JsonDisplay : public Display {
 public:
  void started(const CampaignStarted& event) override { print(started_json(event)); }
  void iteration(const IterationEnded& event) override { print(iteration_json(event)); }
  void pivoted(const Pivoted& event) override { print(pivot_json(event)); }
  void profiled(const Profiled& event) override { print(profiled_json(event)); }
  void proposed(const ProposalRecord& record) override { print(proposal_json(record)); }
  void progress(const Progress&) override {}
  void finished(const CampaignSummary& summary) override { print(finished_json(summary)); }

 private:
  static void print(const json& object);
};

}  // namespace harness::report
