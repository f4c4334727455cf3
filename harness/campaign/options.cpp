#include "harness/campaign/options.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_JSON(PlannedWorkload, kernel, workload, weight)

HARNESS_JSON_DEFAULTS(CampaignOptions, kernels, workloads, variants, strategy, search, seed, budget_s, max_cost_usd,
                      goal_speedup, goal_of_floor, name, usd_per_hour, rivals, objective, zone, utc_offset_s, proposer,
                      proposer_timeout_s, token_price, proposals_at_once, request_tokens, reply_tokens, profile,
                      predict, predicted, planned, memory, controls)

}  // namespace harness
