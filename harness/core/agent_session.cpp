#include "harness/core/agent_session.h"

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(JobState, "state of a job",
                   {{JobState::waiting, "waiting"},
                    {JobState::running, "running"},
                    {JobState::done, "done"},
                    {JobState::interrupted, "interrupted"},
                    {JobState::lost, "lost"}});

std::optional<double> AgentSession::left_s() const {
  return budget_s ? std::optional(std::max(0.0, *budget_s - spent_s)) : std::nullopt;
}

std::optional<double> AgentSession::left_usd() const {
  return max_cost_usd ? std::optional(std::max(0.0, *max_cost_usd - spent_usd.value_or(0))) : std::nullopt;
}

bool AgentSession::spent() const {
  return (left_s() && *left_s() <= 0) || (left_usd() && *left_usd() <= 0);
}

std::string campaign_name(const AgentJob& job) {
  return "job " + std::to_string(job.id);
}

}  // namespace harness
