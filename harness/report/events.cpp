#include "harness/report/events.h"

#include <cstdio>

#include "harness/core/iteration_json.h"
#include "harness/report/out.h"
#include "harness/report/plan.h"

namespace harness::report {
namespace {

template <typename T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json arm_json(const ArmId& arm) {
  return {{"kernel", arm.kernel}, {"workload", arm.workload}, {"technique", arm.technique}};
}

void print(const json& object) {
  report::out_json(object);
  std::fflush(stdout);
}

}  // namespace

json started_json(const CampaignStarted& event) {
  const CampaignRecord& record = event.record;
  json ahead = json::array();
  for (const Foreseen& each : event.ahead) ahead.push_back({{"what", each.what}, {"seconds", or_null(each.seconds)}});
  return {{"event", "campaign_started"},
          {"schema", 1},
          {"campaign", event.campaign},
          {"name", or_null(record.name)},
          {"device", record.device},
          {"device_name", record.device_name},
          {"strategy", record.strategy},
          {"search", record.search},
          {"budget_s", or_null(record.budget_s)},
          {"max_cost_usd", or_null(record.max_cost_usd)},
          {"seed", record.seed},
          {"resumed", event.resumed},
          {"notes", event.notes},
          {"ahead", ahead}};
}

json iteration_json(const IterationEnded& event) {
  const json decision = event.decision ? decision_json(*event.decision) : json();
  json object = harness::iteration_json(event.attempt, *event.evaluation, event.iteration, event.confirmed, decision,
                                        event.device, Detail::line);
  object["event"] = "iteration";
  return object;
}

json evaluation_json(const IterationEnded& event) {
  return harness::iteration_json(event.attempt, *event.evaluation, event.iteration, event.confirmed, json(),
                                 event.device, Detail::full);
}

json pivot_json(const Pivoted& event) {
  return {{"event", "decision"},
          {"campaign", event.campaign},
          {"action", event.closed ? "close" : "pivot"},
          {"from", event.from ? arm_json(*event.from) : json()},
          {"to", arm_json(event.to)},
          {"rule", or_null(event.rule)},
          {"why", event.why}};
}

json profiled_json(const Profiled& event) {
  return {{"event", "profile"},
          {"campaign", event.campaign},
          {"iteration", event.iteration},
          {"kernel", event.kernel},
          {"workload", event.workload},
          {"variant", event.variant},
          {"profile", event.profile == nullptr ? json() : json(*event.profile)},
          {"why_not", event.why_not.empty() ? json() : json(event.why_not)}};
}

json proposal_json(const ProposalRecord& record) {
  const ProposalUsage& usage = record.usage;
  json predict;
  if (record.predict_lo && record.predict_hi) predict = json::array({*record.predict_lo, *record.predict_hi});
  return {{"event", "proposal"},
          {"campaign", record.campaign},
          {"proposal", record.number},
          {"second_to", or_null(record.second_to)},
          {"kernel", record.arm.kernel},
          {"workload", record.arm.workload},
          {"technique", record.arm.technique},
          {"ask", record.ask},
          {"parents", record.parents},
          {"outcome", record.outcome},
          {"message", record.message.empty() ? json() : json(record.message)},
          {"variant", record.variant.empty() ? json() : json(record.variant)},
          {"label", or_null(record.label)},
          {"hypothesis", record.hypothesis},
          {"predict", {{"speedup", predict}}},
          {"twin", record.twin.empty() ? json() : json(record.twin)},
          {"twin_iteration", or_null(record.twin_iteration)},
          {"latency_s", record.latency_s},
          {"usage",
           {{"model", or_null(usage.model)},
            {"tokens_in", or_null(usage.tokens_in)},
            {"tokens_out", or_null(usage.tokens_out)},
            {"tokens_cached", or_null(usage.tokens_cached)},
            {"usd", or_null(usage.usd)},
            {"usd_source", usage.usd_source.empty() ? json() : json(usage.usd_source)}}}};
}

json finished_json(const CampaignSummary& summary) {
  json best = json::array();
  for (const BestRow& row : summary.best) {
    if (!row.state.best_ns) continue;
    best.push_back({{"kernel", row.state.kernel},
                    {"workload", row.state.workload},
                    {"variant", row.state.best_variant},
                    {"config", config_to_json(row.config)},
                    {"iteration", row.iteration},
                    {"time_ns", *row.state.best_ns},
                    {"speedup", or_null(row.state.speedup)},
                    {"of_floor", or_null(row.state.of_floor)},
                    {"confirmed", row.state.confirmed},
                    {"rival_variant", or_null(row.state.rival_variant)},
                    {"rival_config", row.state.rival_variant ? config_to_json(row.rival_config) : json()},
                    {"rival_deterministic", row.state.rival_variant ? json(row.rival_deterministic) : json()},
                    {"rival_ns", or_null(row.state.rival_ns)}});
  }
  json not_tried = json::array();
  for (const BestRow& row : summary.best)
    if (!row.tried) not_tried.push_back({{"kernel", row.state.kernel}, {"workload", row.state.workload}});
  json kernels = json::array();
  for (const KernelShare& each : summary.kernels)
    kernels.push_back({{"kernel", each.kernel},
                       {"iterations", each.iterations},
                       {"seconds", each.seconds},
                       {"score", or_null(each.score)},
                       {"left_out", each.left_out.empty() ? json() : json(each.left_out)}});
  json never_tried = json::array();
  for (const ArmId& arm : summary.never_tried)
    never_tried.push_back({{"kernel", arm.kernel}, {"workload", arm.workload}, {"technique", arm.technique}});
  return {{"event", "campaign_finished"},
          {"campaign", summary.campaign},
          {"reason", summary.reason},
          {"message", summary.message},
          {"iterations", summary.iterations},
          {"outcomes", summary.outcomes},
          {"best", best},
          {"kernels", kernels},
          {"score", or_null(summary.score)},
          {"workloads", summary.best.size()},
          {"workloads_tried", summary.best.size() - not_tried.size()},
          {"not_tried", not_tried},
          {"never_tried", never_tried},
          {"spent_s", summary.spent_s},
          {"cost_usd", or_null(summary.cost_usd)},
          {"calibration", calibration_json(summary.calibration)}};
}

void JsonDisplay::started(const CampaignStarted& event) {
  print(started_json(event));
}
void JsonDisplay::iteration(const IterationEnded& event) {
  print(iteration_json(event));
}
void JsonDisplay::pivoted(const Pivoted& event) {
  print(pivot_json(event));
}
void JsonDisplay::profiled(const Profiled& event) {
  print(profiled_json(event));
}
void JsonDisplay::proposed(const ProposalRecord& record) {
  print(proposal_json(record));
}
void JsonDisplay::finished(const CampaignSummary& summary) {
  print(finished_json(summary));
}

}  // namespace harness::report
