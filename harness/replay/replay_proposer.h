#pragma once
#include <map>
#include <set>
#include <vector>

#include "harness/core/proposal.h"
#include "harness/replay/replay_ports.h"

namespace harness {

/// Answers requests with the recorded ones of the same kernel, in their order, each after its recorded seconds. A
/// second question gets what was recorded as the second to that reply. No model is asked.
class ReplayProposer : public Proposer {
 public:
  ReplayProposer(const std::vector<ProposalRecord>& recorded, ReplayClock& clock);
  /// False: nobody was asked when the record was made.
  bool was_asked() const { return !spec().empty(); }
  std::string spec() const override;
  bool ready() override;
  bool needs_request() const override { return false; }
  void begin(const ProposalRecord& record, double deadline_s) override;
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>& stop) override;
  void cancel() override { under_way_.clear(); }

 private:
  const ProposalRecord* answer_to(const ProposalRecord& request) const;
  const std::vector<ProposalRecord>& recorded_;
  ReplayClock& clock_;
  std::set<std::int64_t> given_;                     // numbers of the record
  std::map<std::int64_t, std::int64_t> stands_for_;  // which number of the record answers a request's
  struct Due {
    double at_s = 0;
    ProposerAnswer answer;
  };
  std::vector<Due> under_way_;
};

}  // namespace harness
