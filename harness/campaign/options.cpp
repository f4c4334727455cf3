#include "harness/campaign/options.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_JSON(PlannedWorkload, kernel, workload, weight)

HARNESS_JSON_DEFAULTS(CampaignOptions, kernels, workloads, variants, strategy, search, seed, budget_s, max_cost_usd,
                      goal_speedup, goal_of_floor, name, usd_per_hour, rivals, objective, zone, utc_offset_s, proposer,
                      proposer_timeout_s, token_price, further_proposers, proposals_at_once, request_tokens,
                      reply_tokens, profile, predict, predicted, planned, memory, controls, confirms)

std::vector<AskedProposer> proposers_of(const CampaignOptions& options) {
  std::vector<AskedProposer> all;
  if (options.proposer) all.push_back({*options.proposer, options.token_price});
  all.insert(all.end(), options.further_proposers.begin(), options.further_proposers.end());
  return all;
}

}  // namespace harness
