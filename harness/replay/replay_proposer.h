#pragma once
#include <map>
#include <set>
#include <vector>

#include "harness/core/proposal.h"
#include "harness/replay/replay_ports.h"

namespace harness {

/// Answers requests with the recorded ones of the same kernel, in their order, each after its recorded seconds. A
/// second question gets what was recorded as the second to that reply. No model is asked. Each stands for one of those
/// who were asked.
class ReplayProposer : public Proposer {
 public:
  ReplayProposer(const std::vector<ProposalRecord>& recorded, std::string spec, ReplayClock& clock);
  std::string spec() const override { return spec_; }
  bool ready() override;
  bool needs_request() const override { return false; }
  void begin(const ProposalRecord& record, double deadline_s) override;
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>& stop) override;
  void cancel() override { under_way_.clear(); }

 private:
  bool is_answer(const ProposalRecord& record) const;
  const ProposalRecord* answer_to(const ProposalRecord& request) const;
  const std::vector<ProposalRecord>& recorded_;
  std::string spec_;
  ReplayClock& clock_;
  std::set<std::int64_t> given_;                     // numbers of the record
  std::map<std::int64_t, std::int64_t> stands_for_;  // which number of the record answers a request's
  struct Due {
    double at_s = 0;
    ProposerAnswer answer;
  };
  std::vector<Due> under_way_;
};

/// The SPECs of those who were asked when this was recorded, in the order of their first requests.
std::vector<std::string> asked_specs(const std::vector<ProposalRecord>& recorded);

}  // namespace harness
