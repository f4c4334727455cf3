#include "harness/report/events.h"

#include <cmath>
#include <cstdio>

#include "harness/core/iteration_json.h"
#include "harness/report/out.h"
#include "harness/report/plan.h"

namespace harness::report {
namespace {

json arm_json(const ArmId& arm) {
  return {{"kernel", arm.kernel}, {"workload", arm.workload}, {"technique", arm.technique}};
}

}  // namespace

json started_json(const CampaignStarted& event) {
  const CampaignRecord& record = event.record;
  json ahead = json::array();
  for (const Foreseen& each : event.ahead) ahead.push_back({{"what", each.what}, {"seconds", each.seconds}});
  return {{"event", "campaign_started"}, {"schema", 1},
          {"campaign", event.campaign},  {"name", record.name},
          {"device", record.device},     {"device_name", record.device_name},
          {"strategy", record.strategy}, {"search", record.search},
          {"budget_s", record.budget_s}, {"max_cost_usd", record.max_cost_usd},
          {"seed", record.seed},         {"resumed", event.resumed},
          {"notes", event.notes},        {"ahead", ahead}};
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
          {"rule", event.rule},
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
          {"why_not", text_or_null(event.why_not)}};
}

json proposal_json(const ProposalRecord& record) {
  const ProposalUsage& usage = record.usage;
  json predict;
  if (record.predict_lo && record.predict_hi) predict = json::array({*record.predict_lo, *record.predict_hi});
  return {{"event", "proposal"},
          {"campaign", record.campaign},
          {"proposal", record.number},
          {"second_to", record.second_to},
          {"kernel", record.arm.kernel},
          {"workload", record.arm.workload},
          {"technique", record.arm.technique},
          {"ask", record.ask},
          {"parents", record.parents},
          {"outcome", record.outcome},
          {"message", text_or_null(record.message)},
          {"variant", text_or_null(record.variant)},
          {"label", record.label},
          {"hypothesis", record.hypothesis},
          {"predict", {{"speedup", predict}}},
          {"twin", text_or_null(record.twin)},
          {"twin_iteration", record.twin_iteration},
          {"latency_s", record.latency_s},
          {"usage",
           {{"model", usage.model},
            {"tokens_in", usage.tokens_in},
            {"tokens_out", usage.tokens_out},
            {"tokens_cached", usage.tokens_cached},
            {"usd", usage.usd},
            {"usd_source", text_or_null(usage.usd_source)}}}};
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
                    {"speedup", row.state.speedup},
                    {"of_floor", row.state.of_floor},
                    {"of_limit", row.state.of_limit},
                    {"confirmed", row.state.confirmed},
                    {"rival_variant", row.state.rival_variant},
                    {"rival_config", row.state.rival_variant ? config_to_json(row.rival_config) : json()},
                    {"rival_deterministic", row.state.rival_variant ? json(row.rival_deterministic) : json()},
                    {"rival_ns", row.state.rival_ns}});
  }
  json not_tried = json::array();
  for (const BestRow& row : summary.best)
    if (!row.tried) not_tried.push_back({{"kernel", row.state.kernel}, {"workload", row.state.workload}});
  json kernels = json::array();
  for (const KernelShare& each : summary.kernels)
    kernels.push_back({{"kernel", each.kernel},
                       {"iterations", each.iterations},
                       {"seconds", each.seconds},
                       {"score", each.score},
                       {"left_out", text_or_null(each.left_out)}});
  json proposers = json::array();
  for (const ProposerRow& each : summary.proposers)
    proposers.push_back({{"proposer", each.name},
                         {"spec", each.spec},
                         {"asked", each.asked},
                         {"accepted", each.accepted},
                         {"passed", each.passed},
                         {"became_best", each.improved},
                         {"gain", std::exp(each.log_gain)},
                         {"usd", each.usd},
                         {"waited_s", each.waited_s},
                         {"device_s", each.device_s}});
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
          {"proposers", proposers},
          {"score", summary.score},
          {"workloads", summary.best.size()},
          {"workloads_tried", summary.best.size() - not_tried.size()},
          {"not_tried", not_tried},
          {"never_tried", never_tried},
          {"spent_s", summary.spent_s},
          {"cost_usd", summary.cost_usd},
          {"calibration", calibration_json(summary.calibration)}};
}

void JsonDisplay::print(const json& object) {
  out_json(object);
  std::fflush(stdout);
}

}  // namespace harness::report
