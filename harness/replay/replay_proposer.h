#pragma once
#include <set>
#include <vector>

#include "harness/core/proposal.h"
#include "harness/replay/replay_ports.h"

namespace harness {

/// Answers requests with the recorded ones of the same kernel, in their order, each after its recorded seconds. A
/// second question gets what was recorded as the second to the reply before. No model is asked.
class ReplayProposer : public Proposer {
 public:
  ReplayProposer(const std::vector<ProposalRecord>& recorded, ReplayClock& clock);
  std::string spec() const override;
  bool ready() override;
  bool needs_request() const override { return false; }
  void begin(const ProposalRecord& record, double deadline_s) override;
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>& stop) override;
  void cancel() override { due_s_.reset(); }

 private:
  const ProposalRecord* answer_to(const ProposalRecord& request) const;
  const std::vector<ProposalRecord>& recorded_;
  ReplayClock& clock_;
  std::set<std::int64_t> given_;  // numbers of the record
  std::int64_t last_ = 0;         // the number that was given last
  std::optional<double> due_s_;   // when the answer under way is there
  ProposerAnswer answer_;
};

}  // namespace harness
