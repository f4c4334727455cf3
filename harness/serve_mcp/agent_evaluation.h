#pragma once
#include <string>

#include "harness/core/display.h"
#include "harness/serve_mcp/answer.h"
#include "harness/serve_mcp/job_stop.h"
#include "harness/service/shell.h"

// What an agent's job does: one evaluation within a session.
namespace harness {

/// Evaluates what the job asks for beside the kernel's baseline, which is evaluated first where the session has no time
/// of it. The answer has "lasting": true where the same question may be answered by it again.
mcp::Answer evaluate_for_agent(const AgentJob& job, const std::string& program_hash, const AgentSession& session,
                               const JobStop& stop, Archive& archive, Shell& shell);

mcp::Answer campaign_answer(const CampaignSummary& summary, const DeviceInfo& device);

}  // namespace harness
