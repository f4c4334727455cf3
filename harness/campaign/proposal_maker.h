#pragma once
#include <map>
#include <optional>
#include <string>

#include "harness/campaign/context.h"
#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposed.h"

namespace harness {

/// Makes variants of replies. What is the same as a variant that is there, here or in an earlier campaign, is refused.
class ProposalMaker {
 public:
  ProposalMaker(CampaignContext& context, const ProposalsSoFar& so_far) : context_(context), so_far_(so_far) {}

  /// Fills the record with what the reply says and what became of it. Nothing: it is a variant of the kernel now.
  std::optional<ReplyProblem> make(ProposalRecord& record, const ProposalReply& reply);
  /// Makes a winner of the record, which has its number, a variant again. False: it cannot be one any more.
  bool make_again(ProposalRecord& record);

 private:
  /// `evidence`: what the record says of the same variant, where it was faster than the baseline.
  std::optional<ReplyProblem> refuse_twin(ProposalRecord& record, bool same_manifest,
                                          std::optional<RecordedTwin>& evidence);
  bool find_twin(ProposalRecord& record, bool same_manifest) const;
  std::optional<RecordedTwin> find_older_twin(const ProposalRecord& record, bool same_manifest);
  std::string fate_of(ProposalRecord& record) const;
  std::string changed_by(const ProposalRecord& record, const ProposalReply& reply, const std::string& manifest,
                         const std::string& technique) const;
  std::optional<ReplyProblem> take_in(const ProposalRecord& record, const std::string& technique);

  CampaignContext& context_;
  const ProposalsSoFar& so_far_;
  /// By kernel: the normal_hash of each source that earlier campaigns evaluated, and its source_hash. Read when the
  /// first proposal for the kernel comes.
  std::map<std::string, std::map<std::string, std::string>> older_sources_;
};

}  // namespace harness
