#pragma once
#include "harness/serve_mcp/answer.h"
#include "harness/serve_mcp/job_stop.h"

// The cheap steps before an evaluation: whether a candidate compiles, and what its time is expected to be.
namespace harness {

/// Compiles each of the asked parameter sets for the GPU that the session writes for. Nothing runs.
mcp::Answer compile_for_agent(const AgentJob& job, const AgentSession& session, Archive& archive, Shell& shell);

/// Predicts each of the asked parameter sets by counting sampled blocks on the cpu device, with the digest of the
/// fastest. No gate looks at what it computes. null: it was stopped.
mcp::Answer predict_for_agent(const AgentJob& job, const AgentSession& session, const JobStop& stop, Archive& archive,
                              Shell& shell);

/// What a candidate does, counted on the cpu device for the GPU of the session. Nothing: it was stopped. Throws
/// Error(bad_input) where it cannot be counted.
std::optional<Profile> counted_for_agent(const Realized& realized, const AgentSession& session, const JobStop& stop,
                                         Shell& shell);

}  // namespace harness
