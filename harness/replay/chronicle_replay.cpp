#include "harness/replay/chronicle_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/campaign/moment.h"

namespace harness {
namespace {

// On the menu a minute is an evaluation: what was promised were minutes.
constexpr double kSecondsAMinute = 60;

bool was_tried(const ChronicleRow& row) {
  return row.outcome != "unmeasured" && row.outcome != "interrupted";
}

/// What is known as the sittings pass: the snapshots of a campaign whose evaluations are sittings.
class Desk {
 public:
  explicit Desk(const Chronicle& chronicle) : chronicle_(chronicle) {
    for (const MenuEntry& entry : chronicle.menu) arm_of(entry.technique) = promised(entry);
  }

  void sit_down(const ChronicleRow& row) {
    row_ = &row;
    ArmState& arm = arm_of(row.technique);
    ++arm.sittings;
    // The sitting has a prediction, the technique another: campaign.sitting, campaign.techniques.
    arm.predicted_s.reset();
    before_s_ = arm.spent_s;
  }

  Snapshot at(double minute) {
    const double seconds = minute * kSecondsAMinute;
    arm_of(row_->technique).spent_s = before_s_ + seconds;
    Snapshot snapshot = without_sitting();
    snapshot.spent_s = spent_s_ + seconds;
    snapshot.since_passed_s = since_passed_s_ + seconds;
    snapshot.now_unix = chronicle_.began_unix + static_cast<std::int64_t>(snapshot.spent_s);
    snapshot.now = moment_at(snapshot.now_unix, "UTC", 0);
    snapshot.current = id_of(row_->technique);
    Sitting sitting;
    sitting.arm = *snapshot.current;
    sitting.spent_s = seconds;
    if (row_->predicted_minutes) sitting.predicted_s = row_->predicted_minutes->hi * kSecondsAMinute;
    snapshot.sitting = sitting;
    return snapshot;
  }

  void stand_up() {
    ArmState& arm = arm_of(row_->technique);
    const double seconds = row_->minutes * kSecondsAMinute;
    arm.spent_s = before_s_ + seconds;
    spent_s_ += seconds;
    since_passed_s_ = row_->outcome == "passed" ? 0 : since_passed_s_ + seconds;
    if (!was_tried(*row_)) return;
    ++iterations_;
    ++arm.evaluations;
    ++arm.outcomes[row_->outcome];
    ++arm.since_improvement;
    recent_.push_back(row_->outcome);
  }

  /// The menu alone, with a probability for each entry.
  Snapshot menu(double one_kernel, double several_kernels) {
    Snapshot snapshot = without_sitting();
    snapshot.arms.clear();
    snapshot.techniques.clear();
    for (const MenuEntry& entry : chronicle_.menu) {
      ArmState arm = promised(entry);
      arm.prior.probability = entry.kernels > 1 ? several_kernels : one_kernel;
      snapshot.arms.push_back(arm);
      snapshot.techniques.push_back(technique_of(arm));
    }
    snapshot.iterations = 0;
    snapshot.recent_outcomes.clear();
    return snapshot;
  }

 private:
  ArmId id_of(const std::string& technique) const { return {chronicle_.kernel, chronicle_.workload, technique}; }

  ArmState promised(const MenuEntry& entry) const {
    ArmState arm;
    arm.id = id_of(entry.technique);
    arm.multi_kernel = entry.kernels > 1;
    const double minutes = (entry.minutes.lo + entry.minutes.hi) / 2;
    arm.prior = {entry.speedup.lo, entry.speedup.hi, 1, static_cast<int>(minutes + 0.5)};
    arm.predicted_s = minutes * kSecondsAMinute;
    arm.space_points = arm.prior.evaluations;
    return arm;
  }

  ArmState& arm_of(const std::string& technique) {
    const auto known =
        std::find_if(arms_.begin(), arms_.end(), [&](const ArmState& arm) { return arm.id.technique == technique; });
    if (known != arms_.end()) return *known;
    ArmState& arm = arms_.emplace_back();
    arm.id = id_of(technique);
    const auto described = chronicle_.techniques.find(technique);
    arm.multi_kernel = described != chronicle_.techniques.end() && described->second.kernels > 1;
    return arm;
  }

  Snapshot without_sitting() {
    Snapshot snapshot;
    snapshot.campaign = 1;
    snapshot.device = "cuda:0";
    snapshot.device_name = chronicle_.device;
    if (chronicle_.multiprocessors > 0) snapshot.multiprocessors = chronicle_.multiprocessors;
    snapshot.evaluation_s = kSecondsAMinute;
    snapshot.spent_s = spent_s_;
    snapshot.iterations = iterations_;
    snapshot.arms = arms_;
    snapshot.recent_outcomes = recent_;
    WorkloadState workload;
    workload.kernel = chronicle_.kernel;
    workload.workload = chronicle_.workload;
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
    const auto described = chronicle_.techniques.find(arm.id.technique);
    if (described != chronicle_.techniques.end() && described->second.predicted_minutes)
      technique.predicted_s = *described->second.predicted_minutes * kSecondsAMinute;
    return technique;
  }

  const Chronicle& chronicle_;
  const ChronicleRow* row_ = nullptr;
  std::vector<ArmState> arms_;
  std::vector<std::string> recent_;
  std::int64_t iterations_ = 0;
  double before_s_ = 0, spent_s_ = 0, since_passed_s_ = 0;
};

/// Every minute that has begun, and the end.
std::vector<double> minutes_of(const ChronicleRow& row) {
  std::vector<double> minutes;
  for (double minute = 0; minute < row.minutes; ++minute) minutes.push_back(minute);
  minutes.push_back(row.minutes);
  return minutes;
}

std::string name_of(const ArmId& arm) {
  return arm.kernel + "/" + arm.workload + "/" + arm.technique;
}

void walk_sitting(const ChronicleRow& row, Desk& desk, Strategy& strategy, ChronicleReplay& replay) {
  desk.sit_down(row);
  std::set<std::string> fired;
  for (const double minute : minutes_of(row)) {
    const Snapshot snapshot = desk.at(minute);
    for (const RuleState& state : strategy.rules(snapshot)) {
      const bool about_this = !state.arm || *state.arm == name_of(*snapshot.current);
      if (!state.reason || !about_this || !fired.insert(state.rule).second) continue;
      replay.firings.push_back(
          {row.iteration, row.technique, state.rule, state.effect, *state.reason, minute, row.minutes, state.numbers});
      if (fired.size() > 1) continue;
      const Decision decision = strategy.decide(snapshot);
      if (decision.action == "try")
        replay.instead.push_back({row.iteration, decision.arm.technique, decision.why, minute});
    }
  }
  desk.stand_up();
}

const ChronicleRow& row_named(const Chronicle& chronicle, const std::string& iteration) {
  return *std::find_if(chronicle.rows.begin(), chronicle.rows.end(),
                       [&](const ChronicleRow& row) { return row.iteration == iteration; });
}

void add_saving(Saving& saving, const Chronicle& chronicle, const Firing& firing) {
  const double saved = firing.minutes - firing.minute;
  if (saved <= 0) return;
  saving.minutes += saved;
  saving.usd += dollars(row_named(chronicle, firing.iteration)).value_or(0) * saved / firing.minutes;
  saving.iterations.push_back(firing.iteration);
}

void add_savings(const Chronicle& chronicle, ChronicleReplay& replay) {
  std::set<std::string> ended;
  for (const Firing& firing : replay.firings) {
    auto own = std::find_if(replay.savings.begin(), replay.savings.end(),
                            [&](const Saving& saving) { return saving.rule == firing.rule; });
    if (own == replay.savings.end()) own = replay.savings.insert(own, Saving{firing.rule, 0, 0, {}});
    add_saving(*own, chronicle, firing);
    if (ended.insert(firing.iteration).second) add_saving(replay.together, chronicle, firing);
  }
}

/// (successes + 1) / (attempts + 2) over what was tried before the menu was there: all rows up to the first that took
/// something from it.
double succession(const Chronicle& chronicle, bool several_kernels) {
  double attempts = 0, successes = 0;
  for (const ChronicleRow& row : chronicle.rows) {
    const bool from_menu = std::any_of(chronicle.menu.begin(), chronicle.menu.end(),
                                       [&](const MenuEntry& entry) { return entry.technique == row.technique; });
    if (from_menu) break;
    const auto technique = chronicle.techniques.find(row.technique);
    const bool several = technique != chronicle.techniques.end() && technique->second.kernels > 1;
    if (!was_tried(row) || several != several_kernels) continue;
    ++attempts;
    if (row.outcome == "passed") ++successes;
  }
  return (successes + 1) / (attempts + 2);
}

void choose_from_menu(const Chronicle& chronicle, Desk& desk, Strategy& strategy, ChronicleReplay& replay) {
  if (chronicle.menu.empty()) return;
  const double one = succession(chronicle, false), several = succession(chronicle, true);
  const auto choose = [&](const std::string& assumption, double p_one, double p_several) {
    const Decision decision = strategy.decide(desk.menu(p_one, p_several));
    replay.menu.push_back({assumption, decision.arm.technique, decision.why, decision.table});
  };
  choose("every promise is kept", 1, 1);
  choose(fmt::format("as attempts had succeeded so far: one kernel {:.2f}, several {:.2f}", one, several), one,
         several);
}

json firing_json(const Firing& firing) {
  return {{"iteration", firing.iteration}, {"technique", firing.technique}, {"rule", firing.rule},
          {"effect", firing.effect},       {"minute", firing.minute},       {"minutes", firing.minutes},
          {"reason", firing.reason},       {"numbers", firing.numbers}};
}

json saving_json(const Saving& saving) {
  return {{"rule", saving.rule}, {"minutes", saving.minutes}, {"usd", saving.usd}, {"iterations", saving.iterations}};
}

json range_json(const std::optional<Range>& range) {
  return range ? json{range->lo, range->hi} : json();
}

json row_json(const ChronicleRow& row) {
  return {{"iteration", row.iteration},
          {"technique", row.technique},
          {"minutes", row.minutes},
          {"predicted_minutes", range_json(row.predicted_minutes)},
          {"predicted_speedup", range_json(row.predicted_speedup)},
          {"predicted_probability", row.predicted_probability},
          {"gpu_usd", row.gpu_usd},
          {"ai_usd", row.ai_usd},
          {"engineer_usd", row.engineer_usd},
          {"outcome", row.outcome},
          {"result", row.result},
          {"speedup", row.speedup},
          {"speedup_refused", refused_speedup(row)},
          {"workload", row.workload},
          {"over_workload", row.over_workload.empty() ? row.workload : row.over_workload},
          {"ctas", row.ctas},
          {"source", row.source},
          {"from_repository", row.from_repository},
          {"flags", row.flags},
          {"notes", row.notes}};
}

json totals_json(const Chronicle& chronicle) {
  std::map<std::string, double> minutes;
  std::map<std::string, std::int64_t> sittings;
  double total = 0, usd = 0;
  for (const ChronicleRow& row : chronicle.rows) {
    minutes[row.technique] += row.minutes;
    ++sittings[row.technique];
    total += row.minutes;
    usd += dollars(row).value_or(0);
  }
  json techniques = json::array();
  for (const auto& [technique, spent] : minutes)
    techniques.push_back({{"technique", technique}, {"sittings", sittings[technique]}, {"minutes", spent}});
  return {{"sittings", chronicle.rows.size()}, {"minutes", total}, {"usd", usd}, {"techniques", techniques}};
}

json figures_json(const Chronicle& chronicle) {
  json list = json::array();
  for (const FigureCheck& check : check_figures(chronicle))
    list.push_back({{"what", check.what},
                    {"declared", check.declared},
                    {"at_least", check.at_least},
                    {"found", check.found},
                    {"holds", check.holds},
                    {"source", check.source},
                    {"note", check.note}});
  return list;
}

json predictions_json(const ChroniclePredictions& score) {
  return {{"minutes_n", score.minutes_n},
          {"minutes_held", score.minutes_held},
          {"worst_overrun", score.worst_overrun},
          {"worst_iteration", score.worst_iteration},
          {"speedup_n", score.speedup_n},
          {"speedup_held", score.speedup_held},
          {"success_n", score.success_n},
          {"succeeded", score.succeeded},
          {"success_predicted", score.success_predicted}};
}

}  // namespace

ChronicleReplay replay_chronicle(const Chronicle& chronicle, Strategy& strategy) {
  ChronicleReplay replay;
  replay.strategy = strategy.identity().name;
  Desk desk(chronicle);
  for (const ChronicleRow& row : chronicle.rows) walk_sitting(row, desk, strategy, replay);
  add_savings(chronicle, replay);
  choose_from_menu(chronicle, desk, strategy, replay);
  replay.predictions = score_predictions(chronicle);
  return replay;
}

ChroniclePredictions score_predictions(const Chronicle& chronicle) {
  ChroniclePredictions score;
  double probability = 0;
  for (std::size_t i = 0; i < chronicle.rows.size(); ++i) {
    const ChronicleRow& row = chronicle.rows[i];
    if (row.predicted_minutes) {
      ++score.minutes_n;
      const double factor = row.minutes / row.predicted_minutes->hi;
      if (factor <= 1) ++score.minutes_held;
      if (factor > score.worst_overrun) {
        score.worst_overrun = factor;
        score.worst_iteration = row.iteration;
      }
    }
    if (row.predicted_speedup) {
      ++score.speedup_n;
      const bool counts = row.speedup && !refused_speedup(row) && row.outcome == "passed";
      if (counts && *row.speedup >= row.predicted_speedup->lo && *row.speedup <= row.predicted_speedup->hi)
        ++score.speedup_held;
    }
    if (row.predicted_probability) {  // of the next sitting on the technique that was tried
      const auto next =
          std::find_if(chronicle.rows.begin() + static_cast<std::ptrdiff_t>(i), chronicle.rows.end(),
                       [&](const ChronicleRow& r) { return r.technique == row.technique && was_tried(r); });
      if (next == chronicle.rows.end()) continue;
      ++score.success_n;
      probability += *row.predicted_probability;
      if (next->outcome == "passed") ++score.succeeded;
    }
  }
  if (score.success_n > 0) score.success_predicted = probability / static_cast<double>(score.success_n);
  return score;
}

json chronicle_json(const Chronicle& chronicle, const ChronicleReplay& replay) {
  json rows = json::array(), firings = json::array(), savings = json::array(), instead = json::array(),
       menu = json::array();
  for (const ChronicleRow& row : chronicle.rows) rows.push_back(row_json(row));
  for (const Firing& firing : replay.firings) firings.push_back(firing_json(firing));
  for (const Saving& saving : replay.savings) savings.push_back(saving_json(saving));
  for (const Instead& each : replay.instead)
    instead.push_back(
        {{"iteration", each.iteration}, {"minute", each.minute}, {"technique", each.technique}, {"why", each.why}});
  for (const MenuChoice& choice : replay.menu)
    menu.push_back({{"assumption", choice.assumption},
                    {"technique", choice.technique},
                    {"why", choice.why},
                    {"table", choice.table}});
  return {{"event", "chronicle_replay"},
          {"schema", 1},
          {"name", chronicle.name},
          {"about", chronicle.about},
          {"file", chronicle.file},
          {"kernel", chronicle.kernel},
          {"workload", chronicle.workload},
          {"device", chronicle.device},
          {"speedup_over", chronicle.speedup_over},
          {"strategy", replay.strategy},
          {"sittings", rows},
          {"totals", totals_json(chronicle)},
          {"declared", figures_json(chronicle)},
          {"firings", firings},
          {"savings", savings},
          {"together", saving_json(replay.together)},
          {"instead", instead},
          {"menu", menu},
          {"predictions", predictions_json(replay.predictions)}};
}

}  // namespace harness
