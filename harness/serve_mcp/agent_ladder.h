#pragma once
#include "harness/serve_mcp/agent_evaluation.h"
#include "harness/serve_mcp/answer.h"

// The cheap steps before an evaluation: whether a candidate compiles, and what its time is expected to be.
namespace harness {

/// Compiles each of the asked parameter sets for the GPU that the session writes for. Nothing runs.
mcp::Answer compile_for_agent(const AgentJob& job, const AgentSession& session, Archive& archive, Shell& shell);

/// Predicts each of the asked parameter sets by counting sampled blocks on the cpu device, with the digest of the
/// fastest. No gate looks at what it computes. null: it was stopped.
mcp::Answer predict_for_agent(const AgentJob& job, const AgentSession& session, const JobStop& stop, Archive& archive,
                              Shell& shell);

/// The digest of a profile, with all rules and pages that this shell has.
std::string digest_for_agent(const Profile& profile, const Work& work, const DeviceInfo& device,
                             std::optional<double> parent_ns, Shell& shell);

}  // namespace harness
