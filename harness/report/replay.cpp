#include "harness/report/replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/format.h"
#include "harness/report/view.h"

namespace harness::report {
namespace {

// A person reads this many decisions at a time, these many before the two part.
constexpr std::size_t kShownStretches = 16, kShownBefore = 3;

std::string held(const json& predictions, const std::string& what) {
  const auto n = predictions.value(what + "_n", std::int64_t{0});
  if (n == 0) return "-";
  const auto kept = predictions.value(what + "_held", std::int64_t{0});
  return fmt::format("{} of {} ({:.0f} %)", kept, n, 100.0 * static_cast<double>(kept) / static_cast<double>(n));
}

std::string arm_name(const json& stretch) {
  const std::string action = stretch.value("action", "");
  if (action == "stop") return "stop";
  if (action == "confirm") return "confirm the winners";
  const std::string name =
      stretch.value("kernel", "") + "/" + stretch.value("workload", "") + "/" + stretch.value("technique", "");
  return action == "close" ? "close " + name : name;
}

/// The kernel and workload are left out of a cell where all arms share them.
std::string short_arm(const json& stretch, const std::string& shared) {
  const std::string name = arm_name(stretch);
  const auto place = name.find(shared);
  return shared.empty() || place == std::string::npos ? name
                                                      : name.substr(0, place) + name.substr(place + shared.size());
}

std::string shared_start(const json& comparison) {
  std::optional<std::string> shared;
  for (const char* side : {"recorded", "replayed"})
    for (const json& stretch : comparison.at(side).at("decisions")) {
      const std::string kernel = stretch.value("kernel", "");
      if (kernel.empty()) continue;
      if (shared && *shared != kernel + "/") return "";
      shared = kernel + "/";
    }
  return shared.value_or("");
}

Table sides(const json& comparison) {
  const json& was = comparison.at("recorded");
  const json& would = comparison.at("replayed");
  Table table{{"", "recorded", "replayed"}, {}};
  const auto row = [&](const std::string& what, const auto& cell) {
    table.rows.push_back({what, cell(was), cell(would)});
  };
  row("strategy", [](const json& side) { return side.value("strategy", ""); });
  row("search", [](const json& side) { return side.value("search", ""); });
  row("score", [](const json& side) { return Quantity{number_in(side, "score"), Unit::ratio}; });
  row(fmt::format("until a score of {}", ratio(number_in(comparison, "compared_score"))), [](const json& side) {
    return Quantity{number_in(side, "reached_s"), Unit::s};
  });
  row("mean ln(score) over the time", [](const json& side) {
    return Quantity{number_in(side, "mean_log_score").value_or(0), Unit::number, 3};
  });
  row("time", [](const json& side) { return Quantity{number_in(side, "spent_s").value_or(0), Unit::s}; });
  row("cost", [](const json& side) { return Quantity{number_in(side, "cost_usd"), Unit::usd}; });
  row("evaluations", [](const json& side) { return cell(side.at("evaluations")); });
  row("of these passed", [](const json& side) { return cell(side.at("outcomes").value("passed", json(0))); });
  row("speedups within the predicted range", [](const json& side) { return held(side.at("predictions"), "speedup"); });
  row("minutes within the predicted range", [](const json& side) { return held(side.at("predictions"), "minutes"); });
  return table;
}

const json* account_of(const json& side, const json& arm) {
  for (const json& each : side.at("arms"))
    if (each.at("kernel") == arm.at("kernel") && each.at("workload") == arm.at("workload") &&
        each.at("technique") == arm.at("technique"))
      return &each;
  return nullptr;
}

void add_account(std::vector<Cell>& cells, const json* arm) {
  if (arm == nullptr) return cells.resize(cells.size() + 3, Quantity{});
  cells.insert(cells.end(), {cell(arm->at("evaluations")), Quantity{arm->value("spent_s", 0.0), Unit::s},
                             Quantity{number_in(*arm, "best_speedup"), Unit::ratio}});
}

Table accounts(const json& comparison) {
  const json& was = comparison.at("recorded");
  const json& would = comparison.at("replayed");
  const std::string shared = shared_start(comparison);
  Table table{{"arm", "runs", "time", "best", "|", "runs", "time", "best"}, {}};
  const auto add = [&](const json& arm) {
    json named = arm;
    named["action"] = "try";
    auto& cells = table.rows.emplace_back(std::vector<Cell>{short_arm(named, shared)});
    add_account(cells, account_of(was, arm));
    cells.emplace_back("|");
    add_account(cells, account_of(would, arm));
  };
  for (const json& arm : was.at("arms")) add(arm);
  for (const json& arm : would.at("arms"))
    if (account_of(was, arm) == nullptr) add(arm);
  return table;
}

void add_stretch(std::vector<Cell>& cells, const json& decisions, std::size_t i, const std::string& shared) {
  if (i >= decisions.size()) return cells.resize(cells.size() + 4);
  const json& stretch = decisions[i];
  const json rule = stretch.value("rule", json());
  cells.insert(cells.end(),
               {Quantity{stretch.value("from_s", 0.0), Unit::s},
                short_arm(stretch, shared) + (rule.is_string() ? " (" + rule.get<std::string>() + ")" : ""),
                cell(stretch.at("evaluations")), Quantity{number_in(stretch, "best_speedup"), Unit::ratio}});
}

/// The stretches that are shown: all, or those from just before the two part.
std::pair<std::size_t, std::size_t> shown(const json& comparison, bool all) {
  const std::size_t longest =
      std::max(comparison.at("recorded").at("decisions").size(), comparison.at("replayed").at("decisions").size());
  if (all || longest <= kShownStretches) return {0, longest};
  const json& part = comparison.at("parting");
  const std::size_t place = part.is_null() ? 0 : part.value("place", std::size_t{1}) - 1;
  const std::size_t begin = std::min(place > kShownBefore ? place - kShownBefore : 0, longest - kShownStretches);
  return {begin, begin + kShownStretches};
}

Table side_by_side(const json& comparison, std::pair<std::size_t, std::size_t> range) {
  const json& was = comparison.at("recorded").at("decisions");
  const json& would = comparison.at("replayed").at("decisions");
  const std::string shared = shared_start(comparison);
  Table table{{"#", "at", "recorded", "runs", "best", "|", "at", "replayed", "runs", "best"}, {}};
  for (std::size_t i = range.first; i < range.second; ++i) {
    auto& cells = table.rows.emplace_back(std::vector<Cell>{cell(i + 1)});
    add_stretch(cells, was, i, shared);
    cells.emplace_back("|");
    add_stretch(cells, would, i, shared);
  }
  return table;
}

std::string reason_line(const json& stretch) {
  const json rule = stretch.value("rule", json());
  return fmt::format("{}{}: {}", arm_name(stretch), rule.is_string() ? " (rule " + rule.get<std::string>() + ")" : "",
                     stretch.value("why", ""));
}

std::string reasons(const json& comparison, std::pair<std::size_t, std::size_t> range) {
  std::string text;
  for (const char* side : {"recorded", "replayed"}) {
    text += fmt::format("\nwhy, {}\n", side);
    const json& decisions = comparison.at(side).at("decisions");
    for (std::size_t i = range.first; i < std::min(range.second, decisions.size()); ++i)
      text += fmt::format("{:>4}  {}\n", i + 1, clean(reason_line(decisions[i])));
  }
  return text;
}

std::string decisions_text(const json& comparison, bool all) {
  const auto range = shown(comparison, all);
  const std::size_t longest =
      std::max(comparison.at("recorded").at("decisions").size(), comparison.at("replayed").at("decisions").size());
  std::string text = aligned(side_by_side(comparison, range));
  if (range.second - range.first < longest)
    text += fmt::format("decisions {} to {} of {}; --all shows all of them\n", range.first + 1, range.second, longest);
  return text + reasons(comparison, range);
}

std::string parting(const json& comparison) {
  const json& part = comparison.at("parting");
  if (part.is_null()) return "the two decided the same from beginning to end\n";
  const auto side = [&](const char* name) {
    return part.at(name).is_null() ? std::string("has ended") : clean(reason_line(part.at(name)));
  };
  return fmt::format("they part at #{}\n  recorded  {}\n  replayed  {}\n", part.value("place", 0), side("recorded"),
                     side("replayed"));
}

std::string answers_text(const json& answers) {
  const auto count = [&](const char* key) { return answers.value(key, std::int64_t{0}); };
  std::string text = fmt::format("answers: {} evaluations and {} confirmations are the recorded ones",
                                 count("recorded"), count("confirmations"));
  if (count("verdicts_recomputed") > 0)
    text += fmt::format("; {} verdicts were made anew, by the recorded intervals, because the best so far was another",
                        count("verdicts_recomputed"));
  text += "\n";
  if (count("stand_ins") > 0) {
    text +=
        fmt::format("  {} of them stand in for configurations that were never evaluated: the nearest of the same arm\n",
                    count("stand_ins"));
    for (const json& example : answers.at("examples")) text += "    " + clean(example.get<std::string>()) + "\n";
  }
  if (count("assumed_confirmations") > 0)
    text += fmt::format("  {} winners were never confirmed in the record: they are taken to hold\n",
                        count("assumed_confirmations"));
  if (count("unanswered") > 0)
    text += fmt::format("  {} evaluations have no answer at all (baselines of workloads that were never measured)\n",
                        count("unanswered"));
  const json& ended = answers.at("ended_arms");
  if (!ended.empty()) {
    constexpr std::size_t kShownArms = 5;
    text += fmt::format("  {} arms end where their record ends, though their search wanted more:", ended.size());
    for (std::size_t i = 0; i < std::min(ended.size(), kShownArms); ++i) text += " " + ended[i].get<std::string>();
    if (ended.size() > kShownArms) text += fmt::format(" and {} more (--json has them)", ended.size() - kShownArms);
    text += "\n";
  }
  return text;
}

/// As they are printed: confirmations measure anew, so that scores of one winner may differ.
bool shows_equal_scores(const json& comparison) {
  return ratio(number_in(comparison.at("recorded"), "score")) == ratio(number_in(comparison.at("replayed"), "score"));
}

/// Equal notes of several workloads or arms once, with how often.
std::string notes_text(const json& notes) {
  std::vector<std::pair<std::string, int>> counted;
  for (const json& note : notes) {
    const std::string text = clean(note.get<std::string>());
    const auto same = std::ranges::find(counted, text, &std::pair<std::string, int>::first);
    if (same == counted.end()) counted.emplace_back(text, 1);
    else ++same->second;
  }
  std::string text;
  for (const auto& [note, times] : counted)
    text += fmt::format("note: {}{}\n", note, times > 1 ? fmt::format(" ({} times)", times) : "");
  return text;
}

}  // namespace

std::string replay_text(const json& comparison, bool all) {
  const json name = comparison.value("name", json());
  std::string kernels;
  for (const json& kernel : comparison.at("kernels")) kernels += " " + kernel.get<std::string>();
  std::string text =
      fmt::format("campaign {}{} on {} ({}):{}, replayed with strategy {}\n\n",
                  report::text(report::cell(comparison.at("campaign"))),
                  name.is_string() ? " \"" + clean(name.get<std::string>()) + "\"" : "", comparison.value("device", ""),
                  comparison.value("device_name", ""), kernels, comparison.at("replayed").value("strategy", ""));
  text += aligned(sides(comparison));
  text += fmt::format("the replay ended ({}): {}\n\n", comparison.at("replayed").value("reason", ""),
                      clean(comparison.at("replayed").value("message", "")));
  if (comparison.value("same_by_construction", false) && shows_equal_scores(comparison))
    text +=
        "equal scores are by construction: the record holds nothing faster that another strategy could have found. "
        "Compare the time to it\n";
  text += answers_text(comparison.at("answers"));
  text += notes_text(comparison.at("notes"));
  text += "\nwhere the time went: recorded | replayed\n" + aligned(accounts(comparison));
  text += "\n" + parting(comparison) + "\n" + decisions_text(comparison, all);
  return text;
}

}  // namespace harness::report
