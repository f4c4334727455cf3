#pragma once
#include <functional>
#include <optional>
#include <string>

#include "harness/serve_mcp/agent_candidate.h"
#include "harness/serve_mcp/answer.h"

// What a candidate that was judged at a size of the cpu device is expected to take at a size of the GPU.
namespace harness {

/// Counts a candidate; nothing: it was stopped. Throws Error(bad_input).
using CountCandidate = std::function<std::optional<Profile>(const Realized&)>;

/// What an evaluation at a size that the cpu device can judge says of the size that a GPU is timed at.
struct GpuSize {
  mcp::Answer answer;  // {"workload","predicted_ns","speedup","best_ns","parts_ns"}
  std::string digest;
  std::optional<double> best_before_ns;  // of the session's jobs before this one
};

/// The first of the kernel's workloads that is meant for a GPU; nothing: the job's own is, or there is none.
std::optional<std::string> gpu_workload(const AgentJob& job, const AgentCandidate& asked, const DeviceInfo& device);

/// Predicts the candidate there, by counting sampled blocks: no gate looks at it. Its speedup is over the baseline, and
/// its parent's parts are those of the variant that the job names, both as earlier jobs of the session were told.
std::optional<GpuSize> at_gpu_size(const AgentJob& job, const AgentCandidate& asked, const Candidate& candidate,
                                   const DeviceInfo& device, const CountCandidate& count, Archive& archive,
                                   Shell& shell);

}  // namespace harness
