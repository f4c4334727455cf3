#include "harness/core/campaign_live.h"

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(Liveness, "state of a campaign", {{Liveness::running, "running"}, {Liveness::stale, "stale"}})

HARNESS_JSON_DEFAULTS(LiveFlight, attempt, kernel, variant, config, workload, purpose, node, begun_unix)
HARNESS_JSON_DEFAULTS(LiveBest, kernel, workload, variant, time_ns, speedup, confirmed)
HARNESS_JSON_DEFAULTS(LiveEnd, iteration, kernel, variant, config, workload, outcome, time_ns)
HARNESS_JSON_DEFAULTS(LiveChange, kernel, workload, technique, why, closed)
HARNESS_JSON_DEFAULTS(CampaignLive, campaign, told_unix, doing, doing_unix, phase, phase_unix, phase_deadline_unix,
                      flights, spent_s, spent_unix, budget_s, spent_usd, max_cost_usd, iterations, outcomes, workloads,
                      best, decision, last)

double LiveRow::spent_s(double now_unix) const {
  const double until = state == Liveness::running ? now_unix : live.told_unix;
  return live.spent_s + std::max(0.0, until - live.spent_unix);
}

}  // namespace harness
