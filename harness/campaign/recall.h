#pragma once
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/core/proposal.h"

namespace harness {

/// Where the records of earlier campaigns and sessions are looked for: the kernel under the campaign's contracts on its
/// device.
TwinQuery earlier_records(const CampaignContext& context, const std::string& kernel);

/// The variants of the record that a new campaign begins with, as proposals of it that have no number yet: the fastest
/// of each workload that stand in no folder. A campaign that was told which variants it may try takes none over.
std::vector<ProposalRecord> recalled_winners(const CampaignContext& context);

/// Of a variant that is there because the record says that it is good: the same machine code in the record is its own.
bool rests_on_record(const ProposalRecord& record);

}  // namespace harness
