#include "harness/report/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/report/format.h"

namespace harness::report {
namespace {

std::string arm_name(const ArmId& arm) {
  return arm.kernel + "/" + arm.workload + "/" + arm.technique;
}

// Three digits are enough for a person.
json shortened(const json& value) {
  if (!value.is_number_float()) return value;
  return parse_json_if_valid(fmt::format("{:.3g}", value.get<double>()));
}

bool is_tabular(const json& numbers) {
  return numbers.is_array() && !numbers.empty() &&
         std::all_of(numbers.begin(), numbers.end(), [](const json& row) { return row.is_object(); });
}

// The columns of all rows, the arm first.
std::vector<std::string> columns_of(const json& rows) {
  std::vector<std::string> columns;
  for (const json& row : rows)
    for (const auto& [key, value] : row.items())
      if (std::find(columns.begin(), columns.end(), key) == columns.end()) columns.push_back(key);
  std::stable_partition(columns.begin(), columns.end(), [](const std::string& name) { return name == "arm"; });
  return columns;
}

Cell earlier(const ArmState& arm) {
  if (arm.earlier_evaluations == 0) return Quantity{};
  return Cell::of(cell(arm.earlier_evaluations), " in ", cell(arm.earlier_campaigns), " campaigns, ",
                  cell(arm.earlier_passed), " passed, best ", Quantity{arm.earlier_best_speedup, Unit::ratio}, ", ",
                  Quantity{arm.earlier_spent_s, Unit::s});
}

Table arms_table(const Snapshot& snapshot) {
  Table table{{"arm", "expected", "probability", "evaluations", "of", "kernels", "risk", "earlier"}, {}};
  for (const ArmState& arm : snapshot.arms)
    table.rows.push_back({arm_name(arm.id), fmt::format("{:g}x to {:g}x", arm.prior.speedup_lo, arm.prior.speedup_hi),
                          Quantity{arm.prior.probability, Unit::number}, cell(arm.prior.evaluations),
                          cell(arm.space_points), arm.multi_kernel ? "several" : "one", arm.risk, earlier(arm)});
  return table;
}

Table rules_table(const std::vector<RuleState>& rules) {
  Table table{{"rule", "effect", "about", "says now"}, {}};
  for (const RuleState& state : rules) {
    const std::string says = !state.asked.empty() ? "(" + state.asked + ")" : state.reason.value_or("nothing");
    // A rule that is asked about every open arm and has nothing to say is one row, not one for each arm.
    const bool again = !table.rows.empty() && table.rows.back()[0] == Cell(state.rule) && says == "nothing";
    if (again) {
      if (table.rows.back()[3] == Cell("nothing")) table.rows.back()[2] = "every open arm";
      continue;
    }
    table.rows.push_back({state.rule, state.effect, state.arm.value_or("-"), says});
  }
  return table;
}

Table patterns_table(const std::vector<AppliedPattern>& patterns) {
  Table table{{"pattern", "name", "reason"}, {}};
  for (const AppliedPattern& applied : patterns) table.rows.push_back({cell(applied.id), applied.name, applied.reason});
  return table;
}

Table decisions_table(const std::vector<Decision>& decisions) {
  Table table{{"#", "action", "arm", "predicted", "why"}, {}};
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const Decision& decision = decisions[i];
    const bool tries = decision.action == Action::try_arm;
    table.rows.push_back({cell(i + 1), std::string(name(decision.action)),
                          decision.arm.kernel.empty() ? "-" : arm_name(decision.arm),
                          tries ? prediction_text(decision.predict) : "-",
                          (decision.rule ? fmt::format("(rule {}) ", *decision.rule) : "") + decision.why});
  }
  return table;
}

json decision_object(const Decision& decision) {
  return {{"action", decision.action},
          {"kernel", decision.arm.kernel},
          {"workload", decision.arm.workload},
          {"technique", decision.arm.technique},
          {"why", decision.why},
          {"rule", decision.rule},
          {"rule_numbers", decision.rule_numbers},
          {"patterns", decision.patterns},
          {"predict", decision.predict},
          {"table", decision.table}};
}

std::string held(const char* what, std::int64_t held, std::int64_t n) {
  return fmt::format("{}: {} of {} ranges held ({:.0f} %)", what, held, n,
                     100 * static_cast<double>(held) / static_cast<double>(n));
}

}  // namespace

std::string prediction_text(const Prediction& predict) {
  std::string text = fmt::format("{:.3g}x to {:.3g}x", predict.speedup_lo, predict.speedup_hi);
  if (predict.probability) text += fmt::format(", passing with {:.2f}", *predict.probability);
  if (predict.minutes_lo && predict.minutes_hi)
    text += fmt::format(", {:.2g} to {:.2g} s", 60 * *predict.minutes_lo, 60 * *predict.minutes_hi);
  return text;
}

std::string numbers_text(const json& numbers) {
  if (numbers.empty()) return "";
  if (!is_tabular(numbers)) return json_text(numbers) + "\n";
  json rows = json::array();
  const std::vector<std::string> columns = columns_of(numbers);
  for (const json& row : numbers) {
    json& kept = rows.emplace_back(json::object());
    for (const std::string& column : columns) kept[column] = shortened(row.value(column, json()));
  }
  return aligned(from_rows(columns, rows));
}

std::string calibration_text(const Calibration& calibration) {
  std::string text;
  if (calibration.speedup_n > 0) text = held("speedups", calibration.speedup_held, calibration.speedup_n);
  if (calibration.minutes_n > 0)
    text += (text.empty() ? "" : "; ") + held("minutes", calibration.minutes_held, calibration.minutes_n);
  if (calibration.passed_n > 0)
    text += fmt::format("{}passing: {:.0f} % predicted, {:.0f} % seen", text.empty() ? "" : "; ",
                        100 * calibration.passed_predicted.value_or(0), 100 * calibration.passed_seen.value_or(0));
  return text;
}

json calibration_json(const Calibration& calibration) {
  return {{"speedups", calibration.speedup_n},
          {"speedups_held", calibration.speedup_held},
          {"speedups_below", calibration.speedup_below},
          {"speedups_above", calibration.speedup_above},
          {"minutes", calibration.minutes_n},
          {"minutes_held", calibration.minutes_held},
          {"probabilities", calibration.passed_n},
          {"passed_predicted", calibration.passed_predicted},
          {"passed_seen", calibration.passed_seen}};
}

std::string plan_text(const DryRun& plan) {
  const Snapshot& now = plan.snapshot;
  std::string text = fmt::format(
      "strategy {}, search {}, on {} ({}): {} arms, budget {}, {} of it kept for confirming the winners; an evaluation "
      "is "
      "assumed to take {}\n\n",
      plan.strategy, plan.search, now.device, now.device_name, now.arms.size(),
      now.budget_s ? seconds(*now.budget_s) : "none", seconds(now.reserve_s), seconds(now.evaluation_s));
  text += aligned(arms_table(now)) + "\n";
  if (!plan.rules.empty()) text += "rules, in the order they are asked\n" + aligned(rules_table(plan.rules)) + "\n";
  if (!plan.patterns.empty())
    text += "patterns of the playbook that apply\n" + aligned(patterns_table(plan.patterns)) + "\n";
  text += "the first decisions, if every evaluation did what is predicted of it\n" +
          aligned(decisions_table(plan.decisions));
  if (!plan.decisions.empty() && !plan.decisions.front().table.empty())
    text += "\nthe first one chose from\n" + numbers_text(plan.decisions.front().table);
  if (const std::string past = calibration_text(now.calibration); !past.empty())
    text += fmt::format("\npredictions of {} on this device so far: {}\n", plan.strategy, past);
  return text;
}

json plan_json(const DryRun& plan) {
  json object = plan.decisions.empty() ? json::object() : decision_object(plan.decisions.front());
  object["event"] = "dry_run";
  object["strategy"] = plan.strategy;
  object["search"] = plan.search;
  object["arms"] = plan.snapshot.arms;
  object["budget_s"] = plan.snapshot.budget_s;
  object["reserve_s"] = plan.snapshot.reserve_s;
  object["evaluation_s"] = plan.snapshot.evaluation_s;
  object["calibration"] = calibration_json(plan.snapshot.calibration);
  object["decisions"] = json::array();
  for (const Decision& decision : plan.decisions) object["decisions"].push_back(decision_object(decision));
  object["applying"] = json::array();
  for (const AppliedPattern& applied : plan.patterns)
    object["applying"].push_back({{"id", applied.id},
                                  {"name", applied.name},
                                  {"reason", applied.reason},
                                  {"kernel", applied.kernel},
                                  {"workload", applied.workload}});
  object["rules"] = json::array();
  for (const RuleState& state : plan.rules)
    object["rules"].push_back({{"rule", state.rule},
                               {"effect", state.effect},
                               {"arm", state.arm},
                               {"reason", state.reason},
                               {"asked", state.asked},
                               {"numbers", state.numbers}});
  return object;
}

}  // namespace harness::report
