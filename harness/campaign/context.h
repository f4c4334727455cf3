#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "harness/campaign/flight.h"
#include "harness/campaign/limits.h"
#include "harness/campaign/options.h"
#include "harness/campaign/ports.h"
#include "harness/campaign/state.h"
#include "harness/core/error.h"

namespace harness {

/// What the desks of one campaign share: its ports, its options, its memory and its limits. Outlives the desks.
/// Everything of a campaign runs in one thread.
struct CampaignContext {
  CampaignPorts& ports;
  CampaignOptions& options;
  const DeviceInfo& device;
  CampaignState& state;
  Limits& limits;
  std::int64_t campaign = 0;  // its number in the store; 0: nothing is recorded

  bool stopped() const { return ports.stop && ports.stop(); }
  bool in_fleet() const { return ports.fleet != nullptr && ports.fleet->devices().size() > 1; }
  Realized realize(const Candidate& candidate, const std::string& workload) const {
    return ports.catalog.plugin(candidate.kernel).realize(candidate, workload, device);
  }
  WorkloadBook& book_of(const Assignment& work) const;
  /// For the live line. `phase`: see Progress.
  void say(const std::string& doing, const std::string& phase = "") const;
  /// The same of an evaluation that begins.
  void say_at_work(const Assignment& work) const;
};

/// The end of a campaign that its user stops.
Ending stopped_by_user();

/// How much of the device a candidate's plan fills; nothing where it can no longer be realized (its file was edited).
std::optional<LaunchShape> launch_of(const CampaignContext& context, const Candidate& candidate,
                                     const std::string& workload);

/// `call()`, an optional, of an arm. Of a proposed variant the manifest is a stranger's: where it fails, the arm is
/// closed and said so, and nothing comes. Any other arm's failure is thrown.
template <typename Call>
auto of_arm(const CampaignContext& context, Arm& arm, Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const Error& error) {
    if (!arm.state.proposal || error.kind() != Error::Kind::bad_input) throw;
    arm.state.closed = true;
    context.ports.display.pivoted(
        {context.campaign, true, context.state.current, arm.state.id, std::nullopt, error.what()});
    return std::nullopt;
  }
}

}  // namespace harness
