#include "harness/replay/replay_proposer.h"

#include <algorithm>
#include <utility>

namespace harness {
ReplayProposer::ReplayProposer(const std::vector<ProposalRecord>& recorded, std::string spec, ReplayClock& clock)
    : recorded_(recorded), spec_(std::move(spec)), clock_(clock) {}

/// What was cut off says nothing of the proposer.
bool ReplayProposer::is_answer(const ProposalRecord& record) const {
  return record.outcome != ProposalOutcome::interrupted && record.proposer == spec_;
}

bool ReplayProposer::ready() {
  return std::ranges::any_of(recorded_, [&](const ProposalRecord& proposal) {
    return is_answer(proposal) && !proposal.second_to && !given_.contains(proposal.number);
  });
}

const ProposalRecord* ReplayProposer::answer_to(const ProposalRecord& request) const {
  std::optional<std::int64_t> first;
  if (request.second_to) {
    const auto at = stands_for_.find(*request.second_to);
    first = at == stands_for_.end() ? 0 : at->second;
  }
  for (const ProposalRecord& proposal : recorded_) {
    if (!is_answer(proposal) || given_.contains(proposal.number) || proposal.arm.kernel != request.arm.kernel) continue;
    if (proposal.second_to == first) return &proposal;
  }
  return nullptr;
}

void ReplayProposer::begin(const ProposalRecord& record, double) {
  Due due;
  due.answer.number = record.number;
  due.at_s = clock_.seconds();
  if (const ProposalRecord* recorded = answer_to(record)) {
    due.at_s += recorded->latency_s;
    due.answer.recorded = *recorded;
    stands_for_[record.number] = recorded->number;
    given_.insert(recorded->number);
  } else {
    due.answer.end = ProposerAnswer::End::unavailable;
    due.answer.why = "the record holds no further proposal for this kernel";
  }
  under_way_.push_back(std::move(due));
}

std::optional<ProposerAnswer> ReplayProposer::take(double patience_s, const std::function<bool()>&) {
  if (under_way_.empty()) return std::nullopt;
  const auto next = std::ranges::min_element(under_way_, {}, &Due::at_s);
  const double left_s = next->at_s - clock_.seconds();
  if (left_s > patience_s) {
    if (patience_s > 0) clock_.pass(patience_s);
    return std::nullopt;
  }
  if (left_s > 0) clock_.pass(left_s);
  ProposerAnswer answer = std::move(next->answer);
  under_way_.erase(next);
  return answer;
}

// What was taken over from the record nobody asked for.
std::vector<std::string> asked_specs(const std::vector<ProposalRecord>& recorded) {
  std::vector<std::string> specs;
  for (const ProposalRecord& record : recorded)
    if (record.proposer != kFromRecord && std::ranges::find(specs, record.proposer) == specs.end())
      specs.push_back(record.proposer);
  return specs;
}

}  // namespace harness
