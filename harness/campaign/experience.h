#pragma once
#include <vector>

#include "harness/campaign/context.h"
#include "harness/core/pattern_evidence.h"

namespace harness {

/// What earlier campaigns learnt, frozen at this one's start: a resume and a replay see the same. `script`: the
/// strategy's name.
void add_experience(CampaignContext& context, const std::string& script);

/// What came of the playbook's patterns. A page that cannot be read has no evidence; a strategy that uses the playbook
/// is refused because of it.
std::vector<PatternEvidence> pattern_evidence(const CampaignContext& context);

/// What earlier campaigns asked of each proposer, in the order of the ports.
std::vector<ProposerHistory> proposer_histories(const CampaignContext& context);

/// Results of the same kernel on other workloads and devices are where searches may begin: they are told before their
/// first ask.
void tell_searches(CampaignContext& context);

}  // namespace harness
