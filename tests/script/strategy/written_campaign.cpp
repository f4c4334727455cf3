#include "tests/script/strategy/written_campaign.h"

#include <algorithm>
#include <set>

namespace harness::tests {
namespace {

bool was_tried(const json& sitting) {
  return sitting.at("outcome") != "unmeasured" && sitting.at("outcome") != "interrupted";
}

double highest(const json& predicted) {
  return predicted.is_array() ? predicted.at(1).get<double>() : predicted.get<double>();
}

double middle(const json& range) {
  return (range.at(0).get<double>() + range.at(1).get<double>()) / 2;
}

std::string name_of(const ArmId& arm) {
  return arm.kernel + "/" + arm.workload + "/" + arm.technique;
}

/// What is known as the sittings pass: the snapshots of a campaign whose evaluations are sittings.
class Desk {
 public:
  explicit Desk(const json& campaign) : campaign_(campaign) {
    for (const json& entry : campaign.at("menu")) arm_of(entry.at("technique")) = promised(entry);
  }

  void begin(const json& sitting) {
    ArmState& arm = arm_of(sitting.at("technique"));
    ++arm.sittings;
    arm.predicted_s.reset();  // the sitting has a prediction, and the technique another
    before_s_ = arm.spent_s;
  }

  Snapshot at(const json& sitting, double minute) {
    ArmState& arm = arm_of(sitting.at("technique"));
    arm.spent_s = before_s_ + 60 * minute;
    Snapshot snapshot = without_sitting();
    snapshot.spent_s = spent_s_ + 60 * minute;
    snapshot.since_passed_s = since_passed_s_ + 60 * minute;
    snapshot.current = arm.id;
    snapshot.sitting = Sitting{.arm = arm.id, .spent_s = 60 * minute};
    if (const json predicted = sitting.value("predicted_minutes", json()); !predicted.is_null())
      snapshot.sitting->predicted_s = 60 * highest(predicted);
    return snapshot;
  }

  void end(const json& sitting) {
    ArmState& arm = arm_of(sitting.at("technique"));
    const double seconds = 60 * sitting.at("minutes").get<double>();
    arm.spent_s = before_s_ + seconds;
    spent_s_ += seconds;
    const std::string outcome = sitting.at("outcome");
    since_passed_s_ = outcome == "passed" ? 0 : since_passed_s_ + seconds;
    if (!was_tried(sitting)) return;
    ++iterations_;
    ++arm.evaluations;
    ++arm.outcomes[outcome];
    ++arm.since_improvement;
    recent_.push_back(outcome);
  }

  /// The menu alone.
  Snapshot menu(double one_kernel, double several_kernels) {
    Snapshot snapshot = without_sitting();
    snapshot.arms.clear();
    snapshot.techniques.clear();
    for (const json& entry : campaign_.at("menu")) {
      ArmState arm = promised(entry);
      arm.prior.probability = arm.multi_kernel ? several_kernels : one_kernel;
      snapshot.arms.push_back(arm);
      snapshot.techniques.push_back(technique_of(arm));
    }
    return snapshot;
  }

 private:
  ArmId id_of(const std::string& technique) const {
    return {campaign_.at("kernel"), campaign_.at("workload"), technique};
  }

  json described(const std::string& technique) const {
    return campaign_.at("techniques").value(technique, json::object());
  }

  /// A promised minute is an evaluation.
  ArmState promised(const json& entry) const {
    ArmState arm;
    arm.id = id_of(entry.at("technique"));
    arm.multi_kernel = entry.at("kernels") > 1;
    const double minutes = middle(entry.at("minutes"));
    arm.prior = {entry.at("speedup").at(0), entry.at("speedup").at(1), 1, static_cast<int>(minutes + 0.5)};
    arm.predicted_s = 60 * minutes;
    arm.space_points = arm.prior.evaluations;
    return arm;
  }

  ArmState& arm_of(const std::string& technique) {
    const auto known = std::ranges::find_if(arms_, [&](const ArmState& arm) { return arm.id.technique == technique; });
    if (known != arms_.end()) return *known;
    ArmState& arm = arms_.emplace_back();
    arm.id = id_of(technique);
    arm.multi_kernel = described(technique).value("kernels", 1) > 1;
    return arm;
  }

  Snapshot without_sitting() {
    Snapshot snapshot;
    snapshot.campaign = 1;
    snapshot.device = "cuda:0";
    snapshot.device_name = campaign_.at("device");
    snapshot.multiprocessors = campaign_.at("multiprocessors");
    snapshot.evaluation_s = 60;
    snapshot.spent_s = spent_s_;
    snapshot.iterations = iterations_;
    snapshot.arms = arms_;
    snapshot.recent_outcomes = recent_;
    WorkloadState workload;
    workload.kernel = campaign_.at("kernel");
    workload.workload = campaign_.at("workload");
    workload.baseline_ns = workload.best_ns = 1;  // measured; its time plays no part
    workload.speedup = 1;
    snapshot.workloads = {workload};
    for (const ArmState& arm : arms_) snapshot.techniques.push_back(technique_of(arm));
    return snapshot;
  }

  TechniqueState technique_of(const ArmState& arm) const {
    TechniqueState technique;
    technique.kernel = arm.id.kernel;
    technique.technique = arm.id.technique;
    technique.workloads = technique.campaigns = 1;
    technique.evaluations = arm.evaluations;
    const auto passed = arm.outcomes.find("passed");
    technique.passed = passed == arm.outcomes.end() ? 0 : passed->second;
    technique.spent_s = arm.spent_s;
    if (const json about = described(arm.id.technique); about.contains("predicted_minutes"))
      technique.predicted_s = 60 * about.at("predicted_minutes").get<double>();
    return technique;
  }

  const json& campaign_;
  std::vector<ArmState> arms_;
  std::vector<std::string> recent_;
  std::int64_t iterations_ = 0;
  double before_s_ = 0, spent_s_ = 0, since_passed_s_ = 0;
};

/// Every minute that has begun, and the end.
std::vector<double> minutes_of(const json& sitting) {
  const double last = sitting.at("minutes");
  std::vector<double> minutes;
  for (double minute = 0; minute < last; ++minute) minutes.push_back(minute);
  minutes.push_back(last);
  return minutes;
}

}  // namespace

std::vector<Firing> fired_rules(const json& campaign, Strategy& strategy) {
  std::vector<Firing> firings;
  Desk desk(campaign);
  for (const json& sitting : campaign.at("sittings")) {
    desk.begin(sitting);
    std::set<std::string> fired;
    for (const double minute : minutes_of(sitting)) {
      const Snapshot snapshot = desk.at(sitting, minute);
      for (const RuleState& state : strategy.rules(snapshot)) {
        const bool about_this = !state.arm || *state.arm == name_of(*snapshot.current);
        if (state.reason && about_this && fired.insert(state.rule).second)
          firings.push_back({sitting.at("iteration"), state.rule, minute, sitting.at("minutes")});
      }
    }
    desk.end(sitting);
  }
  return firings;
}

Decision chosen_from_menu(const json& campaign, Strategy& strategy, double one_kernel, double several_kernels) {
  return strategy.decide(Desk(campaign).menu(one_kernel, several_kernels));
}

double succession(const json& campaign, bool several_kernels) {
  double attempts = 0, successes = 0;
  for (const json& sitting : campaign.at("sittings")) {
    const std::string technique = sitting.at("technique");
    const auto& menu = campaign.at("menu");
    if (std::ranges::any_of(menu, [&](const json& entry) { return entry.at("technique") == technique; })) break;
    const bool several = campaign.at("techniques").value(technique, json::object()).value("kernels", 1) > 1;
    if (!was_tried(sitting) || several != several_kernels) continue;
    ++attempts;
    if (sitting.at("outcome") == "passed") ++successes;
  }
  return (successes + 1) / (attempts + 2);
}

}  // namespace harness::tests
