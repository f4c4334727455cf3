#include "harness/report/chronicle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "harness/report/format.h"
#include "harness/report/table.h"

namespace harness::report {
namespace {

std::optional<double> stated(const json& object, const char* key) {
  const json value = object.value(key, json());
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

std::string word(const json& object, const char* key) {
  const json value = object.value(key, json());
  return value.is_string() ? clean(value.get<std::string>()) : "";
}

std::string whole_minutes(double minutes) {
  return fmt::format("{:.0f} min", minutes);
}

std::string range_text(const json& range) {
  if (!range.is_array()) return "-";
  return range[0] == range[1] ? cell(range[0]) : cell(range[0]) + "-" + cell(range[1]);
}

std::string row_dollars(const json& row) {
  std::optional<double> sum;
  for (const char* part : {"gpu_usd", "ai_usd", "engineer_usd"})
    if (const auto usd = stated(row, part)) sum = sum.value_or(0) + *usd;
  return sum ? money(sum) : "-";
}

std::string moment_of(const json& firing) {
  const double minute = firing.value("minute", 0.0);
  return minute > 0 ? "at " + whole_minutes(minute) : "before it began";
}

/// The earliest firing of each rule in a sitting: "at 30 min (time-overrun)".
std::string endings(const json& replay, const json& row) {
  std::string text;
  for (const json& firing : replay.at("firings"))
    if (firing.at("iteration") == row.at("iteration"))
      text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", moment_of(firing), word(firing, "rule"));
  return text;
}

Table sittings(const json& replay) {
  Table table{{"sitting", "technique", "predicted", "minutes", "dollars", "speedup", "result", "a rule would end it"},
              {}};
  for (const json& row : replay.at("sittings"))
    table.rows.push_back({word(row, "iteration"), word(row, "technique"), range_text(row.at("predicted_minutes")),
                          fmt::format("{:.0f}", row.value("minutes", 0.0)), row_dollars(row),
                          row.at("speedup_refused").is_null() ? ratio(stated(row, "speedup")) : "refused",
                          word(row, "result"), endings(replay, row)});
  return table;
}

std::string iterations_text(const json& saving) {
  std::string text;
  for (const json& iteration : saving.at("iterations"))
    text += (text.empty() ? "" : ", ") + iteration.get<std::string>();
  return text;
}

std::string savings_text(const json& replay) {
  std::string text;
  for (const json& saving : replay.at("savings")) {
    text +=
        fmt::format("{} would have saved {} and {} in {}\n", word(saving, "rule"),
                    whole_minutes(saving.value("minutes", 0.0)), money(stated(saving, "usd")), iterations_text(saving));
    for (const json& firing : replay.at("firings"))
      if (firing.at("rule") == saving.at("rule") && firing.value("minute", 0.0) > 0)
        text += fmt::format("  {} at {}, {} before its end: {}\n", word(firing, "iteration"),
                            whole_minutes(firing.value("minute", 0.0)),
                            whole_minutes(firing.value("minutes", 0.0) - firing.value("minute", 0.0)),
                            word(firing, "reason"));
  }
  const json& together = replay.at("together");
  if (replay.at("savings").size() > 1)
    text += fmt::format("whichever comes first: {} of {} and {}\n", whole_minutes(together.value("minutes", 0.0)),
                        whole_minutes(replay.at("totals").value("minutes", 0.0)), money(stated(together, "usd")));
  return text.empty() ? "no rule had a reason to end a sitting\n" : text;
}

std::string refusals_text(const json& replay) {
  std::string text;
  for (const json& row : replay.at("sittings"))
    if (!row.at("speedup_refused").is_null())
      text += fmt::format("  {}: {}\n", word(row, "iteration"), word(row, "speedup_refused"));
  return text.empty() ? "" : "\nspeedups that do not count\n" + text;
}

/// The columns that the strategy recorded, an arm's name cut to its technique.
Table menu_table(const json& choice) {
  std::vector<std::string> columns;
  json rows = choice.at("table");
  for (json& row : rows) {
    if (!row.is_object()) return {{}, {}};
    const std::string arm = row.value("technique", row.value("arm", ""));
    row["technique"] = arm.substr(arm.rfind('/') == std::string::npos ? 0 : arm.rfind('/') + 1);
    row.erase("arm");
    for (auto& [key, value] : row.items())
      if (value.is_number_float()) value = std::round(value.get<double>() * 1e4) / 1e4;
  }
  if (rows.empty()) return {{}, {}};
  columns.emplace_back("technique");
  for (const auto& [key, value] : rows.front().items())
    if (key != "technique") columns.push_back(key);
  return from_rows(columns, rows);
}

std::vector<std::string> order_of(const json& choice) {
  std::vector<std::pair<double, std::string>> scores;
  for (const json& row : choice.at("table"))
    if (row.is_object() && row.contains("technique") && stated(row, "score"))
      scores.emplace_back(-*stated(row, "score"), row.at("technique").get<std::string>());
  std::sort(scores.begin(), scores.end());
  std::vector<std::string> order;
  for (const auto& [score, technique] : scores) order.push_back(technique);
  return order;
}

/// What one assumption puts before the other and the next does not.
std::string reversals(const json& menu) {
  if (menu.size() != 2) return "";
  const auto before = order_of(menu[0]), after = order_of(menu[1]);
  const auto place = [](const std::vector<std::string>& order, const std::string& technique) {
    return std::find(order.begin(), order.end(), technique) - order.begin();
  };
  std::string text;
  for (const std::string& first : before)
    for (const std::string& second : before)
      if (place(before, first) < place(before, second) && place(after, first) > place(after, second))
        text += fmt::format("{} comes before {} only if {}\n", first, second, word(menu[0], "assumption"));
  return text;
}

std::string menu_text(const json& replay) {
  std::string text;
  for (const json& choice : replay.at("menu")) {
    text += fmt::format("\nif {}: {} ({})\n", word(choice, "assumption"),
                        word(choice, "technique").empty() ? "none" : word(choice, "technique"), word(choice, "why"));
    const Table table = menu_table(choice);
    if (!table.rows.empty()) text += aligned(table);
  }
  return text.empty()
             ? ""
             : "\nwhat it would choose from the menu of then\n" + text.substr(1) + reversals(replay.at("menu"));
}

std::string chronicle_predictions(const json& score) {
  const auto count = [&](const char* key) { return score.value(key, std::int64_t{0}); };
  std::string text;
  if (count("minutes_n") > 0)
    text += fmt::format("  minutes: {} of {} sittings took no longer than predicted; {} took {:.1f} times as long\n",
                        count("minutes_held"), count("minutes_n"), word(score, "worst_iteration"),
                        score.value("worst_overrun", 0.0));
  if (count("speedup_n") > 0)
    text += fmt::format("  speedups: {} of {} came out within the predicted range\n", count("speedup_held"),
                        count("speedup_n"));
  if (count("success_n") > 0)
    text += fmt::format("  success: promised with {}, {} of {} came\n", share(stated(score, "success_predicted")),
                        count("succeeded"), count("success_n"));
  return text.empty() ? "" : "\nhow people's predictions held\n" + text;
}

std::string figures_text(const json& replay) {
  Table table{{"declared figures that do not add up", "declared", "found", "source", ""}, {}};
  for (const json& figure : replay.at("declared"))
    if (!figure.value("holds", true))
      table.rows.push_back({word(figure, "what"),
                            (figure.value("at_least", false) ? ">= " : "") + cell(figure["declared"]),
                            cell(figure["found"]), word(figure, "source"), word(figure, "note")});
  std::string text = fmt::format("\n{} of {} declared figures add up\n",
                                 replay.at("declared").size() - table.rows.size(), replay.at("declared").size());
  if (!table.rows.empty()) text += aligned(table);
  for (const json& row : replay.at("sittings"))
    for (const json& flag : row.at("flags"))
      text += fmt::format("flagged: {}: {}\n", word(row, "iteration"), clean(flag.get<std::string>()));
  return replay.at("declared").empty() ? "" : text;
}

}  // namespace

std::string chronicle_text(const json& replay) {
  const json& totals = replay.at("totals");
  std::string text = fmt::format("{}: {}\n", word(replay, "name"), word(replay, "about"));
  text += fmt::format(
      "{} sittings, {} ({:.1f} h), {} of what is stated; the rules of strategy {} were asked every minute\n\n",
      totals.value("sittings", 0), whole_minutes(totals.value("minutes", 0.0)), totals.value("minutes", 0.0) / 60,
      money(stated(totals, "usd")), word(replay, "strategy"));
  text += aligned(sittings(replay));
  text += fmt::format("speedups are over {}\n\n", word(replay, "speedup_over"));
  return text + savings_text(replay) + refusals_text(replay) + menu_text(replay) +
         chronicle_predictions(replay.at("predictions")) + figures_text(replay);
}

}  // namespace harness::report
