#pragma once
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "harness/core/display.h"
#include "harness/serve_mcp/answer.h"
#include "harness/service/shell.h"

// What an agent's job does: one evaluation within a session.
namespace harness {

/// Whether a job must end: this process was asked to, somebody cancelled the job, or the budget is spent. May be asked
/// from any thread, as often as one likes.
class JobStop {
 public:
  JobStop(std::int64_t job, const Shell& shell);
  bool operator()() const;
  void give_up_after(std::optional<double> seconds) const;
  std::string why() const;  // a sentence

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Evaluates what the job asks for beside the kernel's baseline, which is evaluated first where the session has no time
/// of it. The answer has "lasting": true where the same question may be answered by it again.
mcp::Answer evaluate_for_agent(const AgentJob& job, const std::string& program_hash, const AgentSession& session,
                               const JobStop& stop, Archive& archive, Shell& shell);

mcp::Answer campaign_answer(const CampaignSummary& summary, const DeviceInfo& device);

}  // namespace harness
