#include "harness/report/decision_prose.h"

#include <fmt/format.h>

#include "harness/report/format.h"
#include "harness/report/plan.h"
#include "harness/report/view.h"

namespace harness::report {
namespace {

Prediction prediction_of(const json& row) {
  Prediction predict;
  predict.speedup_lo = number_in(row, "predict_speedup_lo").value_or(1);
  predict.speedup_hi = number_in(row, "predict_speedup_hi").value_or(1);
  predict.probability = number_in(row, "predict_probability");
  predict.minutes_lo = number_in(row, "predict_minutes_lo");
  predict.minutes_hi = number_in(row, "predict_minutes_hi");
  return predict;
}

bool has(const json& row, const char* key) {
  const json value = row.value(key, json());
  return value.is_string() && value != "";
}

std::string what_was_chosen(const json& row) {
  const std::string action = field(row, "action");
  const std::string arm =
      fmt::format("{} on {} of {}", field(row, "technique"), field(row, "workload"), field(row, "kernel"));
  if (action == "stop") return "to stop" + (has(row, "reason") ? " (" + field(row, "reason") + ")" : std::string());
  if (action == "try") return "to try " + arm;
  if (action == "confirm") return "to time the best of " + arm + " again";
  return fmt::format("to {} {}", action, arm);
}

/// Whether a seen speedup lay in the range, where there is a range.
std::string judged(const json& row, double seen) {
  const auto lo = number_in(row, "predict_speedup_lo"), hi = number_in(row, "predict_speedup_hi");
  if (!lo || !hi || !(*lo < *hi)) return "";
  return seen < *lo ? ", less than predicted" : seen > *hi ? ", more than predicted" : ", as predicted";
}

std::string what_came(const json& row) {
  const auto evaluations = number_in(row, "iterations").value_or(0);
  if (evaluations == 0) return "Nothing was evaluated because of it.";
  const std::string count = fmt::format("{:.0f} evaluation{}", evaluations, evaluations == 1 ? "" : "s");
  const auto seen = number_in(row, "best_speedup");
  if (!seen) return fmt::format("{} followed, and none of it was timed.", count);
  return fmt::format("{} followed; the best reached {}{}.", count, ratio(seen), judged(row, *seen));
}

std::string listed(const json& values) {
  std::string text;
  for (const json& value : values) text += (text.empty() ? "" : ", ") + clean(report::text(cell(value)));
  return text;
}

}  // namespace

std::string decision_prose(const json& row) {
  std::string text =
      fmt::format("Decision {} of campaign {}{}: {} chose {}.\n", field(row, "decision"), field(row, "campaign"),
                  has(row, "decided") ? ", " + date(row["decided"]) : "", field(row, "script"), what_was_chosen(row));
  if (has(row, "from_technique"))
    text += fmt::format("It turned away from {} on {}{}.\n", field(row, "from_technique"), field(row, "from_workload"),
                        field(row, "from_kernel") == field(row, "kernel") ? "" : " of " + field(row, "from_kernel"));
  if (has(row, "rule")) text += fmt::format("The rule {} asked for it.\n", field(row, "rule"));
  text += fmt::format("Why: {}\n", field(row, "why"));
  if (field(row, "action") == "try")
    text += fmt::format("It predicted {}. {}\n", prediction_text(prediction_of(row)), what_came(row));
  if (row.value("rule_numbers", json()).is_object())
    text += fmt::format("The rule measured {}.\n", clean(json_text(row["rule_numbers"])));
  if (const json patterns = row.value("patterns", json()); patterns.is_array() && !patterns.empty())
    text += fmt::format("It rests on the playbook's pages {} (harness playbook ID).\n", listed(patterns));
  if (const json table = row.value("table", json()); !table.is_null() && !table.empty())
    text += fmt::format("\nIt chose from\n{}", numbers_text(table));
  return text;
}

}  // namespace harness::report
