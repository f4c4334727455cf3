#include "harness/replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>

#include "harness/campaign/loop.h"
#include "harness/core/error.h"
#include "harness/replay/current_plugins.h"
#include "harness/replay/replay_proposer.h"

namespace harness {
namespace {

CampaignOptions replay_options(const Recording& recorded, const ReplayOptions& wanted) {
  json fields = CampaignOptions{};  // a record that is older than an option has its default
  fields.update(recorded.record.options);
  CampaignOptions options = fields.get<CampaignOptions>();
  if (options.kernels.empty()) options.kernels = recorded.record.kernels;
  options.strategy = wanted.strategy;
  options.search = wanted.search.value_or(recorded.record.search);
  options.seed = wanted.seed.value_or(recorded.record.seed);
  options.budget_s = wanted.budget_s ? wanted.budget_s : recorded.record.budget_s;
  options.max_cost_usd = recorded.record.max_cost_usd;
  options.usd_per_hour = recorded.record.usd_per_hour;
  options.rivals = std::ranges::any_of(
      recorded.iterations, [](const IterationSummary& iteration) { return iteration.purpose == Purpose::rival; });
  return options;
}

/// Shapes that the campaign was asked for by their sizes are workloads again.
void add_shapes(const Recording& recorded, Catalog& plugins) {
  json fields = CampaignOptions{};
  fields.update(recorded.record.options);
  for (const std::string& kernel : recorded.record.kernels)
    with_shapes(plugins, kernel, fields.get<CampaignOptions>().workloads, recorded_device(recorded.record));
}

std::int64_t began_unix(const Recording& recorded) {
  if (recorded.decisions.empty()) return 0;
  return recorded.decisions.front().now_unix - static_cast<std::int64_t>(overhead_seconds(recorded));
}

/// The devices that a campaign had, if they were several.
std::vector<FleetDevice> recorded_fleet(const CampaignRecord& record) {
  std::vector<FleetDevice> devices;
  const json nodes = record.environment.value("nodes", json::array());
  for (const json& node : nodes) {
    FleetDevice device;
    device.node = node.value("node", "");
    device.uuid = node.value("uuid", "");
    device.info = recorded_device(record);
    device.usd_per_hour = record.usd_per_hour;
    if (node.value("used", true)) devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace

Replayed replay(const Recording& recorded, ReplayCatalog& plugins, ScriptLibrary& scripts, EarlierCampaigns* earlier,
                const ReplayOptions& options) {
  Replayed replayed;
  add_shapes(recorded, plugins);
  const CurrentRecord today = with_current_plugins(recorded, plugins);
  replayed.notes = today.notes;
  const RecordBook book(today.recording);
  ReplayClock clock(began_unix(recorded));
  ReplayScripts searches(scripts, book, replayed.answers, options.stand_ins);
  ReplayEvaluator evaluator(recorded_device(recorded.record), book, clock, overhead_seconds(recorded),
                            replayed.answers);
  ReplayLedger ledger(earlier, recorded.campaign);
  ledger.take_over(today.recording.proposals);
  NoDisplay display;
  std::list<ReplayProposer> proposers;
  for (const std::string& spec : asked_specs(today.recording.proposals))
    proposers.emplace_back(today.recording.proposals, spec, clock);
  ReplayProfiler profiler(book);
  CampaignPorts ports{plugins, searches, evaluator, ledger, display, clock, {}, recorded.record.environment};
  if (!recorded.profiles.empty()) ports.profiler = &profiler;
  for (ReplayProposer& proposer : proposers) ports.proposers.push_back(&proposer);
  ReplayFleet fleet(recorded_fleet(recorded.record), evaluator, book, clock);
  if (fleet.devices().size() > 1) ports.fleet = &fleet;
  Campaign campaign(std::move(ports), replay_options(recorded, options), std::nullopt);
  replayed.summary = campaign.run();
  replayed.recording = std::move(ledger.recording());
  return replayed;
}

WorkloadWeights workload_weights(const CampaignSummary& summary) {
  WorkloadWeights weights;
  for (const BestRow& row : summary.best) weights[{row.state.kernel, row.state.workload}] = row.state.weight;
  return weights;
}

std::vector<ScorePoint> score_curve(const Recording& recording, const WorkloadWeights& weights) {
  std::vector<ScorePoint> curve{{0, 1, 0}};
  Podium podium;
  double at_s = overhead_seconds(recording);
  for (const IterationSummary& iteration : recording.iterations) {
    at_s += iteration.wall_s;
    podium.apply(iteration);
    curve.push_back({at_s, podium.score(weights), iteration.iteration});
  }
  return curve;
}

double mean_log_score(const std::vector<ScorePoint>& curve, double until_s) {
  double area = 0;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const double begin = std::min(curve[i].at_s, until_s);
    const double end = i + 1 < curve.size() ? std::min(curve[i + 1].at_s, until_s) : until_s;
    area += (end - begin) * std::log(curve[i].score);
  }
  return until_s > 0 ? area / until_s : 0;
}

}  // namespace harness
