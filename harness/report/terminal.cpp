#include "harness/report/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "harness/core/printable.h"
#include "harness/core/utf8.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/plan.h"
#include "harness/report/table.h"

namespace harness::report {
namespace {

std::string outcome_counts(const std::map<std::string, std::int64_t>& outcomes) {
  std::string text;
  for (const auto& [name, count] : outcomes) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text.empty() ? "nothing yet" : text;
}

std::string bar(double part) {
  constexpr int kWidth = 20;
  const int full = static_cast<int>(std::clamp(part, 0.0, 1.0) * kWidth);
  return "[" + std::string(static_cast<std::size_t>(full), '#') +
         std::string(static_cast<std::size_t>(kWidth - full), '.') + "]";
}

std::size_t terminal_width() {
  winsize size{};
  return ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 120;
}

std::string describe(const Candidate& candidate) {
  const std::string config = to_text(candidate.config);
  return candidate.variant + (config.empty() ? "" : " " + config);
}

/// How the best stands against the fastest rival: above 1.00x it is ahead.
void add_rival(std::vector<std::string>& cells, const BestRow& row) {
  const WorkloadState& state = row.state;
  const std::string config = to_text(row.rival_config);
  cells.push_back(state.rival_variant ? *state.rival_variant + (config.empty() ? "" : " " + config) : "none");
  cells.push_back(nanoseconds(state.rival_ns));
  cells.push_back(state.rival_ns && state.best_ns ? ratio(*state.rival_ns / *state.best_ns) : "-");
}

}  // namespace

void TerminalDisplay::clear() {
  if (line_shown_) std::fputs("\r\x1b[K", stderr);
  line_shown_ = false;
}

/// The colours are ours; what stands between them is shown, never obeyed.
void TerminalDisplay::say(const std::string& line, std::size_t strong) {
  if (options_.quiet) return;
  clear();
  if (options_.color && strong > 0) {
    std::fputs("\x1b[1;32m", stderr);
    err("%s", clean(line.substr(0, strong)).c_str());
    std::fputs("\x1b[0m", stderr);
  } else {
    strong = 0;
  }
  err("%s\n", clean(line.substr(strong)).c_str());
}

void TerminalDisplay::started(const CampaignStarted& event) {
  const CampaignRecord& record = event.record;
  say(fmt::format("campaign {}{}: {} on {} ({}){}, {}, {}, strategy {}, search {}, budget {}", event.campaign,
                  event.resumed ? " resumed" : "", fmt::join(record.kernels, " "), record.device, record.device_name,
                  in_emulation(record) ? " EMULATION: times are not a GPU's" : "", counted(event.workloads, "workload"),
                  counted(event.arms, "arm"), record.strategy, record.search,
                  record.budget_s ? seconds(*record.budget_s) : "none"));
  for (const std::string& note : event.notes) say("note      " + note);
  for (const Foreseen& each : event.ahead)
    say(fmt::format("first     {}{}", each.what,
                    each.seconds ? fmt::format(": about {}", seconds(*each.seconds)) : ""));
}

// The fastest rival of a workload so far, and once why one does not run here.
void TerminalDisplay::rival(const IterationEnded& event) {
  const Candidate& candidate = event.attempt.candidate;
  const std::string place = candidate.kernel + " " + event.attempt.workload;
  if (const auto* passed = std::get_if<Passed>(&event.evaluation->outcome)) {
    const double time_ns = passed->timing.time_ns;
    const auto [fastest, first] = fastest_rival_ns_.try_emplace(place, time_ns);
    if (!first && fastest->second <= time_ns) return;
    fastest->second = time_ns;
    return say(fmt::format("rival     {}  {}  {}  {}", place, nanoseconds(time_ns), ratio(passed->timing.speedup),
                           describe(candidate)));
  }
  const bool unsupported = std::holds_alternative<Unsupported>(event.evaluation->outcome);
  if (unsupported && fastest_rival_ns_.contains(place)) return;  // it has no more configurations
  const json error = error_json(event.evaluation->outcome);
  const std::string why = error.is_null() ? "" : error.value("message", "");
  if (said_of_rivals_.insert(candidate.variant + why).second)
    say(fmt::format("rival     {}: {} is not there to be compared with: {}", place, describe(candidate), why));
}

void TerminalDisplay::iteration(const IterationEnded& event) {
  if (event.attempt.purpose == Purpose::rival) return rival(event);
  const auto* passed = std::get_if<Passed>(&event.evaluation->outcome);
  const Candidate& candidate = event.attempt.candidate;
  if (passed == nullptr) {
    const json error = error_json(event.evaluation->outcome);
    const std::string why = error.is_null() ? "" : error.value("message", "");
    const auto* brief = std::get_if<Screened>(&event.evaluation->outcome);
    if (brief != nullptr && event.attempt.purpose == Purpose::baseline)
      return say(fmt::format("baseline  {} {}  {}  {}  (slow: {} launches; its other gates only if nothing is faster)",
                             candidate.kernel, event.attempt.workload, nanoseconds(brief->timing.time_ns),
                             describe(candidate), brief->timing.samples.rotating_ns.size()));
    if (event.attempt.purpose == Purpose::baseline)
      say(fmt::format("{} {}: the baseline {} did not pass: {}", candidate.kernel, event.attempt.workload,
                      describe(candidate), why));
    if (event.attempt.purpose == Purpose::confirm)
      say(fmt::format("lost      {} {}  {} did not pass when it was to be confirmed ({}): {}", candidate.kernel,
                      event.attempt.workload, describe(candidate), outcome_name(event.evaluation->outcome), why));
    return;
  }
  if (!event.new_best && !event.confirmed) return;
  const Timing& timing = passed->timing;
  const std::string what = event.confirmed                              ? "confirmed"
                           : event.attempt.purpose == Purpose::baseline ? "baseline "
                                                                        : "new best ";
  say(fmt::format("{} {} {}  {}  {}  {}", what, candidate.kernel, event.attempt.workload, nanoseconds(timing.time_ns),
                  ratio(timing.speedup), describe(candidate)),
      what.size());
}

void TerminalDisplay::pivoted(const Pivoted& event) {
  say(fmt::format("{}     {} {} {}{}: {}", event.closed ? "leave" : "pivot", event.to.kernel, event.to.workload,
                  event.to.technique, event.rule ? fmt::format(" (rule {})", *event.rule) : "", event.why));
}

void TerminalDisplay::progress(const Progress& event) {
  if (!options_.live || options_.quiet) return;
  const std::string of = event.budget_s > 0 ? fmt::format("{} {} of {}", bar(event.spent_s / event.budget_s),
                                                          seconds(event.spent_s), seconds(event.budget_s))
                                            : seconds(event.spent_s);
  const std::string beside = event.of_rival ? fmt::format(", {} of the rival's speed", ratio(event.of_rival)) : "";
  std::string line = fmt::format("{}  {} done: {}  best {}{}  now {}", of, event.iterations,
                                 outcome_counts(event.outcomes), ratio(event.best_speedup), beside, event.doing);
  line = clean(line);
  line.resize(std::min(line.size(), terminal_width() - 1));
  clear();
  const std::string shown = valid_utf8(line);  // may be cut within a character
  std::fputs(shown.c_str(), stderr);
  std::fflush(stderr);
  line_shown_ = true;
}

namespace {

/// What each kernel got of the campaign, a line each.
std::string shares_text(const std::vector<KernelShare>& kernels) {
  std::string text;
  for (const KernelShare& each : kernels)
    text += each.left_out.empty() ? fmt::format("  {}: {}, {} iterations, score {}\n", each.kernel,
                                                seconds(each.seconds), each.iterations, ratio(each.score))
                                  : fmt::format("  {}: left out, {}\n", each.kernel, each.left_out);
  return text;
}

}  // namespace

std::string closing_text(const CampaignSummary& summary) {
  Table table{
      {"kernel", "workload", "best variant", "configuration", "time", "baseline", "speedup", "of floor", "confirmed"},
      {}};
  const bool rivals =
      std::ranges::any_of(summary.best, [](const BestRow& row) { return row.state.rival_ns.has_value(); });
  if (rivals) table.columns.insert(table.columns.end(), {"rival", "its time", "of its speed"});
  std::string example;
  for (const BestRow& row : summary.best) {
    const WorkloadState& state = row.state;
    table.rows.push_back({state.kernel, state.workload, state.best_ns ? state.best_variant : "none passed",
                          to_text(row.config), nanoseconds(state.best_ns), nanoseconds(state.baseline_ns),
                          ratio(state.speedup), share(state.of_floor),
                          !state.best_ns    ? "-"
                          : state.confirmed ? "yes"
                                            : "no"});
    if (rivals) add_rival(table.rows.back(), row);
    if (state.best_ns && example.empty()) example = fmt::format("harness show {}", row.iteration);
  }
  std::string text = aligned(table);
  text += fmt::format("\ncampaign {} ended ({}): {}\n{} iterations: {}\n", summary.campaign, name(summary.reason),
                      summary.message, summary.iterations, outcome_counts(summary.outcomes));
  text += fmt::format("score {} (weighted geometric mean of the speedups over the baselines), {} spent, cost {}\n",
                      ratio(summary.score), seconds(summary.spent_s), money(summary.cost_usd));
  if (summary.kernels.size() > 1) text += shares_text(summary.kernels);
  if (const std::string predictions = calibration_text(summary.calibration); !predictions.empty())
    text += fmt::format("predictions, 90 % ranges: {}\n", predictions);
  if (summary.emulation) text += "times are emulation on a CPU: they rank nothing on a GPU\n";
  if (summary.reason == EndReason::interrupted || summary.reason == EndReason::device_lost ||
      summary.reason == EndReason::store_error)
    text += fmt::format("everything that ended is saved; go on with: harness run --resume {}\n", summary.campaign);
  else if (!example.empty())
    text += fmt::format("next: {}   or   harness history --campaign {}\n", example, summary.campaign);
  return text;
}

void TerminalDisplay::finished(const CampaignSummary& summary) {
  clear();
  out("%s", closing_text(summary).c_str());
  std::fflush(stdout);
}

}  // namespace harness::report
