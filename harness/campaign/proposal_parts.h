#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/campaign/proposal_request.h"
#include "harness/campaign/proposed.h"

namespace harness {

/// Why a reply could not be used, and the reply, where a request is a second question.
struct SecondQuestion {
  std::string wrong, last_reply;
  std::string outcome;                     // "truncated"
  std::optional<std::int64_t> tokens_out;  // of the reply, where that is known
};

/// Reads what the record holds of a kernel, once.
void read_earlier(const CampaignContext& context, const std::string& kernel, ProposalsSoFar& so_far);

/// What a campaign can tell whoever proposes, for one request. `pages`: of the playbook.
RequestParts request_parts(const CampaignContext& context, const ProposalsSoFar& so_far, const ProposalRecord& record,
                           const SecondQuestion& second, const std::vector<std::int64_t>& pages);

}  // namespace harness
