#include "harness/replay/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/campaign/calibration.h"

namespace harness {
namespace {

std::multimap<std::int64_t, const IterationSummary*> by_decision(const Recording& recording) {
  std::multimap<std::int64_t, const IterationSummary*> rows;
  for (const IterationSummary& iteration : recording.iterations) rows.emplace(iteration.decision, &iteration);
  return rows;
}

bool goes_on(const std::vector<Stretch>& stretches, const Decision& decision) {
  if (stretches.empty()) return false;
  const Stretch& last = stretches.back();
  return last.action == decision.action && (decision.action == Action::confirm || last.arm == decision.arm) &&
         decision.action != Action::close;
}

void add_evaluation(Stretch& stretch, const IterationSummary& iteration) {
  if (iteration.purpose == Purpose::rival) return;  // nobody decided on it
  ++stretch.evaluations;
  if (iteration.outcome != OutcomeKind::passed) return;
  ++stretch.passed;
  const bool baseline = iteration.purpose == Purpose::baseline;  // of the workload, whatever arm it was measured for
  if (!baseline && iteration.speedup && iteration.speedup > stretch.best_speedup)
    stretch.best_speedup = iteration.speedup;
}

json stretch_json(const Stretch& stretch) {
  return {{"action", stretch.action},
          {"kernel", stretch.arm.kernel},
          {"workload", stretch.arm.workload},
          {"technique", stretch.arm.technique},
          {"from_s", stretch.from_s},
          {"until_s", stretch.until_s},
          {"decisions", stretch.decisions},
          {"evaluations", stretch.evaluations},
          {"passed", stretch.passed},
          {"best_speedup", stretch.best_speedup},
          {"score", stretch.score},
          {"rule", stretch.rule},
          {"why", stretch.why}};
}

/// What each arm was given and brought, in the order in which they were first tried.
json arms_json(const std::vector<Stretch>& stretches) {
  std::vector<Stretch> arms;
  for (const Stretch& stretch : stretches) {
    if (stretch.action != Action::try_arm) continue;
    auto arm = std::find_if(arms.begin(), arms.end(), [&](const Stretch& other) { return other.arm == stretch.arm; });
    if (arm == arms.end()) {
      arms.push_back(stretch);
      arms.back().decisions = 1;  // times it was taken up
      arms.back().until_s -= arms.back().from_s;
      continue;
    }
    ++arm->decisions;
    arm->evaluations += stretch.evaluations;
    arm->passed += stretch.passed;
    arm->until_s += stretch.until_s - stretch.from_s;
    if (stretch.best_speedup > arm->best_speedup) arm->best_speedup = stretch.best_speedup;
  }
  json list = json::array();
  for (const Stretch& arm : arms)
    list.push_back({{"kernel", arm.arm.kernel},
                    {"workload", arm.arm.workload},
                    {"technique", arm.arm.technique},
                    {"times", arm.decisions},
                    {"evaluations", arm.evaluations},
                    {"passed", arm.passed},
                    {"spent_s", arm.until_s},
                    {"best_speedup", arm.best_speedup}});
  return list;
}

std::optional<double> share(std::int64_t part, std::int64_t n) {
  return n > 0 ? std::optional(static_cast<double>(part) / static_cast<double>(n)) : std::nullopt;
}

json prediction_json(const Calibration& score) {
  return {{"speedup_n", score.speedup_n},
          {"speedup_held", score.speedup_held},
          {"speedup_share", share(score.speedup_held, score.speedup_n)},
          {"speedup_below", score.speedup_below},
          {"speedup_above", score.speedup_above},
          {"minutes_n", score.minutes_n},
          {"minutes_held", score.minutes_held},
          {"minutes_share", share(score.minutes_held, score.minutes_n)},
          {"passed_n", score.passed_n},
          {"passed_predicted", score.passed_predicted},
          {"passed_seen", score.passed_seen}};
}

std::map<std::string, std::int64_t> outcomes_of(const Recording& recording) {
  std::map<std::string, std::int64_t> outcomes;
  for (const IterationSummary& iteration : recording.iterations) ++outcomes[std::string(name(iteration.outcome))];
  return outcomes;
}

json best_json(const Recording& recording, const WorkloadWeights& weights) {
  Podium podium;
  for (const IterationSummary& iteration : recording.iterations) podium.apply(iteration);
  json rows = json::array();
  for (const auto& [id, weight] : weights) {
    const IterationSummary* best = podium.best(id.first, id.second);
    rows.push_back({{"kernel", id.first},
                    {"workload", id.second},
                    {"variant", best != nullptr ? json(best->candidate.variant) : json()},
                    {"config", best != nullptr ? config_to_json(best->candidate.config) : json()},
                    {"time_ns", best != nullptr ? json(best->time_ns) : json()},
                    {"speedup", best != nullptr ? json(best->speedup) : json()}});
  }
  return rows;
}

/// Seconds until the score first reached this; nullopt: it never did.
std::optional<double> reached(const std::vector<ScorePoint>& curve, double score) {
  for (const ScorePoint& point : curve)
    if (point.score >= score) return point.at_s;
  return std::nullopt;
}

/// A score that both reached: 95 % of the way, in ln(score), to the highest of the side whose highest is lower. (The
/// last may be lower: a winner may fail its confirmation.)
double common_target(const std::vector<ScorePoint>& a, const std::vector<ScorePoint>& b) {
  const auto lower = [](const ScorePoint& x, const ScorePoint& y) { return x.score < y.score; };
  const double highest =
      std::min(std::max_element(a.begin(), a.end(), lower)->score, std::max_element(b.begin(), b.end(), lower)->score);
  return std::exp(0.95 * std::log(highest));
}

json side_json(const Recording& recording, const WorkloadWeights& weights, double compared_s, double target) {
  const std::vector<ScorePoint> curve = score_curve(recording, weights);
  const auto& price = recording.record.usd_per_hour;
  const std::vector<Stretch> list = stretches(recording, weights);
  json decisions = json::array();
  for (const Stretch& stretch : list) decisions.push_back(stretch_json(stretch));
  json points = json::array();
  for (const ScorePoint& point : curve) points.push_back({point.at_s, point.score});
  return {{"strategy", recording.record.strategy},
          {"search", recording.record.search},
          {"seed", recording.record.seed},
          {"budget_s", recording.record.budget_s},
          {"score", curve.back().score},
          {"spent_s", recording.spent_s},
          {"cost_usd", price ? json(*price * recording.spent_s / 3600) : json()},
          {"evaluations", recording.iterations.size()},
          {"outcomes", outcomes_of(recording)},
          {"mean_log_score", mean_log_score(curve, compared_s)},
          {"reached_s", reached(curve, target)},
          {"predictions", prediction_json(score_predictions(recording))},
          {"best", best_json(recording, weights)},
          {"arms", arms_json(list)},
          {"decisions", decisions},
          {"curve", points}};
}

/// The first stretch in which the two sides chose differently; null: they never did.
json parting_json(const std::vector<Stretch>& recorded, const std::vector<Stretch>& replayed) {
  for (std::size_t i = 0; i < std::max(recorded.size(), replayed.size()); ++i) {
    if (i < recorded.size() && i < replayed.size() && recorded[i].action == replayed[i].action &&
        recorded[i].arm == replayed[i].arm && recorded[i].evaluations == replayed[i].evaluations)
      continue;
    return {{"place", i + 1},
            {"recorded", i < recorded.size() ? stretch_json(recorded[i]) : json()},
            {"replayed", i < replayed.size() ? stretch_json(replayed[i]) : json()}};
  }
  return nullptr;
}

/// Nothing better is in the record than what was found: whatever strategy comes this far ends with this score.
bool nothing_better_recorded(const json& was, const json& would) {
  constexpr double kSame = 0.005;  // of ln(score): less than a verdict tells apart
  const auto log_score = [](const json& side) { return std::log(side.at("score").get<double>()); };
  return std::abs(log_score(was) - log_score(would)) < kSame;
}

json arm_list(const std::set<ArmId>& arms) {
  json list = json::array();
  for (const ArmId& arm : arms) list.push_back(arm.kernel + "/" + arm.workload + "/" + arm.technique);
  return list;
}

json answers_json(const AnswerTally& answers) {
  return {{"recorded", answers.recorded},           {"stand_ins", answers.stand_ins},
          {"confirmations", answers.confirmations}, {"assumed_confirmations", answers.assumed_confirmations},
          {"unanswered", answers.unanswered},       {"verdicts_recomputed", answers.verdicts_recomputed},
          {"ended_arms", arm_list(answers.ended)},  {"examples", answers.examples}};
}

}  // namespace

std::vector<Stretch> stretches(const Recording& recording, const WorkloadWeights& weights) {
  const auto rows = by_decision(recording);
  std::vector<Stretch> result;
  Podium podium;
  double at_s = overhead_seconds(recording);
  for (const DecisionRecord& record : recording.decisions) {
    const Decision& decision = record.decision;
    if (!goes_on(result, decision)) {
      Stretch begun;
      begun.action = decision.action;
      begun.arm = decision.arm;
      begun.from_s = begun.until_s = at_s;
      begun.why = decision.why;
      begun.rule = decision.rule;
      begun.first_decision = record.id;
      result.push_back(begun);
    }
    Stretch& stretch = result.back();
    ++stretch.decisions;
    const auto [first, last] = rows.equal_range(record.id);
    for (auto row = first; row != last; ++row) {
      add_evaluation(stretch, *row->second);
      podium.apply(*row->second);
      at_s += row->second->wall_s;
    }
    stretch.until_s = at_s;
    stretch.score = podium.score(weights);
  }
  return result;
}

Calibration score_predictions(const Recording& recording) {
  std::map<std::int64_t, const Prediction*> predictions;
  for (const DecisionRecord& record : recording.decisions) predictions[record.id] = &record.decision.predict;
  CalibrationBook book;
  for (const IterationSummary& iteration : recording.iterations) {
    const auto predicted = predictions.find(iteration.decision);
    if (iteration.purpose != Purpose::search || predicted == predictions.end()) continue;
    book.score({*predicted->second, iteration.outcome, iteration.speedup, iteration.wall_s});
  }
  return book.now();
}

json comparison_json(const Recording& recorded, const Replayed& replayed) {
  const WorkloadWeights weights = workload_weights(replayed.summary);
  const double compared_s = std::max(recorded.spent_s, replayed.recording.spent_s);
  const double target = common_target(score_curve(recorded, weights), score_curve(replayed.recording, weights));
  const json was = side_json(recorded, weights, compared_s, target);
  json would = side_json(replayed.recording, weights, compared_s, target);
  would["reason"] = replayed.summary.reason;
  would["message"] = replayed.summary.message;
  return {{"event", "replay"},
          {"schema", 1},
          {"campaign", recorded.campaign},
          {"name", recorded.record.name},
          {"device", recorded.record.device},
          {"device_name", recorded.record.device_name},
          {"kernels", recorded.record.kernels},
          {"overhead_s", overhead_seconds(recorded)},
          {"compared_s", compared_s},
          {"compared_score", target},
          {"recorded", was},
          {"replayed", would},
          {"same_by_construction", nothing_better_recorded(was, would)},
          {"parting", parting_json(stretches(recorded, weights), stretches(replayed.recording, weights))},
          {"answers", answers_json(replayed.answers)},
          {"notes", replayed.notes}};
}

}  // namespace harness
