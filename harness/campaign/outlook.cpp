#include "harness/campaign/outlook.h"

#include "harness/campaign/moment.h"
#include "harness/core/floor.h"

namespace harness {

Snapshot Outlook::snapshot() {
  const CampaignOptions& options = context_.options;
  const DeviceInfo& device = context_.device;
  const Limits& limits = context_.limits;
  Snapshot snapshot = context_.state.snapshot(options.usd_per_hour);
  snapshot.campaign = context_.campaign;
  snapshot.device = device.device;
  snapshot.device_name = device.name;
  snapshot.emulation = device.emulation;
  snapshot.seed = options.seed;
  snapshot.architecture = device.architecture;
  if (!device.emulation && device.multiprocessors > 0) snapshot.multiprocessors = device.multiprocessors;
  snapshot.objective = options.objective;
  snapshot.now_unix = context_.ports.clock.unix_seconds();
  snapshot.now = moment_at(snapshot.now_unix, options.zone, options.utc_offset_s);
  snapshot.budget_s = options.budget_s;
  snapshot.spent_s = limits.spent_s();
  snapshot.max_cost_usd = options.max_cost_usd;
  snapshot.spent_usd = limits.spent_usd();
  snapshot.reserve_s = confirmation_.reserve_s();
  snapshot.idle_s = limits.idle_s();
  if (evaluation_ended_) snapshot.since_evaluation_s = context_.ports.clock.seconds() - *evaluation_ended_;
  for (WorkloadState& workload : snapshot.workloads)
    workload.floor_binds = floor_binds(workload.kernel, workload.workload);
  snapshot.playbook = pattern_evidence_;
  snapshot.memory = options.memory;
  flights_.show(snapshot);
  if (!context_.ports.proposers.empty()) snapshot.proposer = proposals_.panel().together();
  snapshot.proposers = proposals_.panel().each();
  snapshot.goal_speedup = options.goal_speedup;
  snapshot.goal_of_floor = options.goal_of_floor;
  return snapshot;
}

std::optional<std::string> Outlook::floor_binds(const std::string& kernel, const std::string& workload) {
  const auto [binds, fresh] = floor_binds_.try_emplace({kernel, workload});
  if (fresh)
    if (const auto floor = floor_ns(context_.ports.catalog.plugin(kernel).problem(workload).work, context_.device))
      binds->second = floor->binds;
  return binds->second;
}

}  // namespace harness
