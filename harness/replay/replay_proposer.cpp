#include "harness/replay/replay_proposer.h"

#include <algorithm>

namespace harness {
namespace {

/// What was cut off says nothing of the proposer.
bool is_answer(const ProposalRecord& record) {
  return record.outcome != ProposalOutcome::interrupted;
}

}  // namespace

ReplayProposer::ReplayProposer(const std::vector<ProposalRecord>& recorded, ReplayClock& clock)
    : recorded_(recorded), clock_(clock) {}

std::string ReplayProposer::spec() const {
  return recorded_.empty() ? "" : recorded_.front().proposer;
}

bool ReplayProposer::ready() {
  return std::ranges::any_of(recorded_, [&](const ProposalRecord& each) {
    return is_answer(each) && !each.second_to && !given_.contains(each.number);
  });
}

const ProposalRecord* ReplayProposer::answer_to(const ProposalRecord& request) const {
  for (const ProposalRecord& each : recorded_) {
    if (!is_answer(each) || given_.contains(each.number) || each.arm.kernel != request.arm.kernel) continue;
    if (request.second_to ? each.second_to == last_ : !each.second_to) return &each;
  }
  return nullptr;
}

void ReplayProposer::begin(const ProposalRecord& record, double) {
  answer_ = {};
  const ProposalRecord* found = answer_to(record);
  due_s_ = clock_.seconds() + (found != nullptr ? found->latency_s : 0);
  if (found == nullptr) {
    answer_.end = ProposerAnswer::End::unavailable;
    answer_.why = "the record holds no further proposal for this kernel";
    return;
  }
  answer_.recorded = *found;
  last_ = found->number;
  given_.insert(found->number);
}

std::optional<ProposerAnswer> ReplayProposer::take(double patience_s, const std::function<bool()>&) {
  if (!due_s_) return std::nullopt;
  const double left_s = *due_s_ - clock_.seconds();
  if (left_s > patience_s) {
    if (patience_s > 0) clock_.pass(patience_s);
    return std::nullopt;
  }
  if (left_s > 0) clock_.pass(left_s);
  due_s_.reset();
  return answer_;
}

}  // namespace harness
