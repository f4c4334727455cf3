#include "harness/report/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "harness/core/gates.h"
#include "harness/core/gpu.h"
#include "harness/core/printable.h"
#include "harness/core/utf8.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/plan.h"
#include "harness/report/table.h"
#include "harness/report/view.h"
#include "harness/report/wrap.h"

namespace harness::report {
namespace {

std::string outcome_counts(const std::map<std::string, std::int64_t>& outcomes) {
  std::string text;
  for (const auto& [name, count] : outcomes) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, name);
  return text.empty() ? "nothing yet" : text;
}

std::string describe(const Candidate& candidate) {
  const std::string config = to_text(candidate.config);
  return candidate.variant + (config.empty() ? "" : " " + config);
}

/// What its times are, where they are no GPU's.
std::string kind_of_times(const CampaignRecord& record) {
  if (const std::string gpu = predicted_gpu(record.device); !gpu.empty())
    return fmt::format(" PREDICTED: times are what a model of the {} expects, not measured", gpu);
  return in_emulation(record) ? " EMULATION: times are not a GPU's" : "";
}

/// How the best stands against the fastest rival: above 1.00x it is ahead.
void add_rival(std::vector<Cell>& cells, const BestRow& row) {
  const WorkloadState& state = row.state;
  const std::string config = to_text(row.rival_config);
  const std::string rival = state.rival_variant.value_or("none") + (config.empty() ? "" : " " + config);
  cells.push_back(row.rival_deterministic ? rival : rival + ", not deterministic");
  cells.push_back(Quantity{state.rival_ns, Unit::ns});
  cells.push_back(ratio_of(state.rival_ns, state.best_ns));
}

}  // namespace

TerminalDisplay::TerminalDisplay(TerminalOptions options) : options_(std::move(options)) {}

/// The colours are ours; what stands between them is shown, never obeyed.
void TerminalDisplay::say(const std::string& line, std::size_t strong) {
  if (options_.quiet) return;
  // What goes on in a second line stands below the text, behind the tag.
  const std::string text = wrapped(clean(line), error_columns());
  strong = std::min(strong, text.size());
  const std::string shown = options_.color && strong > 0
                                ? "\x1b[1;32m" + text.substr(0, strong) + "\x1b[0m" + text.substr(strong) + "\n"
                                : text + "\n";
  if (block_) return block_->print_above(shown);
  std::fputs(shown.c_str(), stderr);
}

/// Once for each complaint: a machine that stays busy is not told of at every evaluation.
void TerminalDisplay::note_machine() {
  if (!options_.complaint) return;
  const std::string complaint = options_.complaint();
  if (block_) block_->change([&](LiveState& state) { state.note = complaint; });
  if (!complaint.empty() && complained_.empty()) say("note      " + complaint);
  if (!complaint.empty()) complained_ = complaint;
}

/// A GPU that is too hot or at its power limit lowers its clock.
void TerminalDisplay::note_clock(const Timing& timing) {
  constexpr double kFallen = 0.9;
  std::vector<double> mhz = timing.samples.clock_mhz;
  if (mhz.empty()) return;
  std::ranges::nth_element(mhz, mhz.begin() + static_cast<std::ptrdiff_t>(mhz.size() / 2));
  const double median = mhz[mhz.size() / 2];
  fastest_mhz_ = std::max(fastest_mhz_, median);
  if (clock_noted_ || median >= kFallen * fastest_mhz_) return;
  clock_noted_ = true;
  say(fmt::format("note      the device's clock fell to {:.0f} MHz from {:.0f}: hot, or at its power limit", median,
                  fastest_mhz_));
}

LiveState::Row& TerminalDisplay::row(LiveState& state, const std::string& kernel, const std::string& workload) {
  const std::string name = several_kernels_ ? kernel + " " + workload : workload;
  const auto found = std::ranges::find(state.rows, name, &LiveState::Row::workload);
  return found != state.rows.end() ? *found : state.rows.emplace_back(LiveState::Row{.workload = name});
}

void TerminalDisplay::phase(const EvaluationPhase& event) {
  if (block_) block_->change([&](LiveState& state) { state.phase = event.name; });
}

void TerminalDisplay::started(const CampaignStarted& event) {
  const CampaignRecord& record = event.record;
  const json devices = record.environment.is_object() ? record.environment.value("devices", json()) : json();
  const std::string several = devices.is_number() && devices.get<double>() > 1 ? devices.dump() + " devices, " : "";
  say(fmt::format("campaign {}{}: {} on {}{} ({}){}, {}, {}, strategy {}, search {}, budget {}", event.campaign,
                  event.resumed ? " resumed" : "", fmt::join(record.kernels, " "), several, record.device,
                  record.device_name, kind_of_times(record), counted(event.workloads, "workload"),
                  counted(event.arms, "arm"), record.strategy, record.search,
                  record.budget_s ? seconds(*record.budget_s) : "none"));
  for (const std::string& note : event.notes) say("note      " + note);
  for (const Foreseen& each : event.ahead)
    say(fmt::format("first     {}{}", each.what,
                    each.seconds ? fmt::format(": about {}", seconds(*each.seconds)) : ""));
  several_kernels_ = record.kernels.size() > 1;
  note_machine();
  if (!options_.live || options_.quiet) return;
  block_ = std::make_unique<LiveBlock>(error_terminal());
  block_->change([&](LiveState& state) {
    state.workloads = event.workloads;
    state.budget_s = record.budget_s.value_or(0);
    state.doing = event.ahead.empty() ? "" : event.ahead.front().what;
  });
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
    const bool differs = std::ranges::any_of(
        event.evaluation->gates, [](const GateResult& gate) { return gate.detail.starts_with(kNotDeterministic); });
    return say(fmt::format("rival     {}  {}  {}  {}{}", place, nanoseconds(time_ns), ratio(passed->timing.speedup),
                           describe(candidate), differs ? "  (not deterministic)" : ""));
  }
  const bool unsupported = std::holds_alternative<Unsupported>(event.evaluation->outcome);
  if (unsupported && fastest_rival_ns_.contains(place)) return;  // it has no more configurations
  const json error = error_json(event.evaluation->outcome);
  const std::string why = error.is_null() ? "" : error.value("message", "");
  if (said_of_rivals_.insert(candidate.variant + why).second)
    say(fmt::format("rival     {}: {} is not there to be compared with: {}", place, describe(candidate), why));
}

void TerminalDisplay::iteration(const IterationEnded& event) {
  update_block(event);
  if (event.attempt.purpose == Purpose::rival) return rival(event);
  const auto* passed = std::get_if<Passed>(&event.evaluation->outcome);
  const Candidate& candidate = event.attempt.candidate;
  if (passed == nullptr) {
    const json error = error_json(event.evaluation->outcome);
    const std::string why = error.is_null() ? "" : error.value("message", "");
    const auto* brief = std::get_if<Screened>(&event.evaluation->outcome);
    if (brief != nullptr && event.attempt.purpose == Purpose::baseline)
      return say(fmt::format("baseline  {} {}  {}  {}  (slow: {}; its other gates only if nothing is faster)",
                             candidate.kernel, event.attempt.workload, nanoseconds(brief->timing.time_ns),
                             describe(candidate), counted(brief->timing.samples.rotating_ns.size(), "launch")));
    if (event.attempt.purpose == Purpose::baseline)
      say(fmt::format("{} {}: the baseline {} did not pass: {}", candidate.kernel, event.attempt.workload,
                      describe(candidate), why));
    if (event.attempt.purpose == Purpose::confirm)
      say(fmt::format("lost      {} {}  {} did not pass when it was to be confirmed ({}): {}", candidate.kernel,
                      event.attempt.workload, describe(candidate), outcome_name(event.evaluation->outcome), why));
    return;
  }
  const Timing& timing = passed->timing;
  note_clock(timing);
  if (!event.new_best && !event.confirmed) return;
  const bool predicted = !predicted_gpu(event.device).empty();
  const std::string what = event.confirmed                              ? predicted ? "recounted" : "confirmed"
                           : event.attempt.purpose == Purpose::baseline ? "baseline "
                                                                        : "new best ";
  say(fmt::format("{} {} {}  {}  {}  {}", what, candidate.kernel, event.attempt.workload, nanoseconds(timing.time_ns),
                  ratio(timing.speedup), describe(candidate)),
      what.size());
  if (event.confirmed) note_reservations(event.evaluation->gates);
}

// What the contract leaves out was told of the kernel, as the campaign began.
void TerminalDisplay::note_reservations(const std::vector<GateResult>& gates) {
  for (const GateResult& row : gates)
    if (const std::string words = reservation(row.name, row.detail); !words.empty() && row.name != gate::forms.name)
      say("note      " + clean(words));
}

/// The row of its workload, and what has just happened.
void TerminalDisplay::update_block(const IterationEnded& event) {
  if (!block_) return;
  const auto* passed = std::get_if<Passed>(&event.evaluation->outcome);
  block_->change([&](LiveState& state) {
    LiveState::Row& at = row(state, event.attempt.candidate.kernel, event.attempt.workload);
    state.last = fmt::format("{}: {}", describe(event.attempt.candidate), outcome_name(event.evaluation->outcome));
    if (passed == nullptr) return;
    const Timing& timing = passed->timing;
    state.last += fmt::format(", {}", nanoseconds(timing.time_ns));
    if (event.attempt.purpose == Purpose::rival) {
      at.rival_ns = std::min(at.rival_ns.value_or(timing.time_ns), timing.time_ns);
      return;
    }
    if (!event.new_best && !event.confirmed) return;
    at.best_ns = timing.time_ns;
    at.speedup = timing.speedup;
    at.of_floor = timing.floor_ns ? std::optional(*timing.floor_ns / timing.time_ns) : std::nullopt;
    const auto& limit_ns = event.evaluation->reachable_ns;
    at.of_limit = limit_ns ? std::optional(*limit_ns / timing.time_ns) : std::nullopt;
    at.confirmed = event.confirmed;
  });
}

/// One short line; the whole reason where it was asked for.
void TerminalDisplay::pivoted(const Pivoted& event) {
  constexpr std::size_t kShort = 100;
  std::string line =
      fmt::format("{}     {} {} {}{}", event.closed ? "leave" : "pivot", event.to.kernel, event.to.workload,
                  event.to.technique, event.rule ? fmt::format(" (rule {})", *event.rule) : "");
  if (options_.verbose) return say(line + ": " + event.why);
  if (event.closed && line.size() < kShort) {
    std::string why = clean(event.why);
    const std::size_t room = kShort - line.size();
    if (why.size() > room) why = valid_utf8(why.substr(0, room)) + "...";
    line += ": " + why;
  }
  say(line);
}

/// What limits it. A profile that no rule explains is not told, and a missing one once.
void TerminalDisplay::profiled(const Profiled& event) {
  const std::string what = fmt::format("profile   {} {} {}", event.kernel, event.workload, event.variant);
  if (event.profile == nullptr) return say(fmt::format("{}: not profiled: {}", what, clean(event.why_not)));
  if (event.profile->diagnosis)
    say(fmt::format("{} ({}): {}", what, name(event.profile->source), clean(event.profile->diagnosis->text)));
}

/// What became of a request, with the seconds and dollars that it took.
void TerminalDisplay::proposed(const ProposalRecord& record) {
  const bool accepted = record.outcome == ProposalOutcome::accepted;
  const std::string cost = record.usage.usd ? fmt::format(", ${:.3f}", *record.usage.usd) : "";
  const std::string what = accepted ? fmt::format("{} \"{}\"", record.variant, clean(record.label.value_or("")))
                                    : fmt::format("{}: {}", name(record.outcome), clean(record.message));
  say(fmt::format("proposal  {}{} {} {}  ({}{})", record.number,
                  record.second_to ? fmt::format(" (again, for {})", *record.second_to) : "", record.arm.kernel, what,
                  seconds(record.latency_s), cost));
}

void TerminalDisplay::progress(const Progress& event) {
  if (options_.quiet) return;
  note_machine();
  if (!block_) return;
  block_->change([&](LiveState& state) {
    state.spent_s = event.spent_s;
    state.budget_s = event.budget_s;
    state.iterations = event.iterations;
    state.outcomes = event.outcomes;
    state.doing = event.doing;
    state.phase = event.phase;
    state.doing_s = 0;
    for (LiveState::Row& each : state.rows) each.at_work = false;
    if (!event.workload.empty()) row(state, event.kernel, event.workload).at_work = true;
  });
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

/// A line for each proposer: what it was asked, what came of it, what it cost and its share of that.
std::string proposers_text(const std::vector<ProposerRow>& proposers) {
  double usd = 0;
  for (const ProposerRow& each : proposers) usd += each.usd.value_or(0);
  std::string text;
  for (const ProposerRow& each : proposers) {
    const std::string share =
        usd > 0 && proposers.size() > 1 ? fmt::format(" ({:.0f} %)", 100 * each.usd.value_or(0) / usd) : "";
    text += fmt::format("  {}: asked {}, {} accepted, {} passed, {} became a best ({}), {}{}, {} of the device\n",
                        clean(each.name), each.asked, each.accepted, each.passed, each.improved,
                        ratio(std::exp(each.log_gain)), money(each.usd), share, seconds(each.device_s));
  }
  return text.empty() ? text : "proposers\n" + text;
}

/// By workload, the techniques of which nothing was evaluated: what the campaign cannot know of.
std::string never_tried_text(const std::vector<ArmId>& arms) {
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<std::string, std::string>> places;
  for (const ArmId& arm : arms) {
    const std::string place = arm.kernel + " " + arm.workload;
    if (places.empty() || places.back().first != place) places.emplace_back(place, arm.technique);
    else places.back().second += ", " + arm.technique;
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kMost, places.size()); ++i)
    text += fmt::format("never tried on {}: {}\n", places[i].first, places[i].second);
  if (places.size() > kMost)
    text += fmt::format("never tried on {} more\n", counted(places.size() - kMost, "workload"));
  return text;
}

}  // namespace

namespace {

/// What gives way first where there is no room: how it stands beside a rival says more than beside the baseline.
std::string closing_table(const Table& table) {
  const bool rivals = std::ranges::find(table.columns, "of its speed") != table.columns.end();
  const std::map<std::string, int> ranks{{"kernel", 6},
                                         {"workload", 0},
                                         {"best variant", 1},
                                         {"configuration", 4},
                                         {"baseline", 7},
                                         {"of floor", 2},
                                         {"of limit", 2},
                                         {"confirmed", 3},
                                         {"counted twice", 3},
                                         {"rival", 3},
                                         {"its time", 7},
                                         {"of its speed", 1},
                                         {"speedup", rivals ? 5 : 1},
                                         {"over eager", rivals ? 5 : 1},
                                         {"eager", 7}};
  View view;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c];
    const auto rank = ranks.find(name);
    view.push_back(table_column(table, c, rank == ranks.end() ? 0 : rank->second,
                                name == "workload" || name == "configuration" || name == "rival", name == "workload"));
  }
  ViewChoice choice{{}, false, terminal_columns()};
  if (!choice.width) return aligned(table);
  const ChosenTable chosen = choose(view, row_numbers(table), choice);
  std::string text = aligned(chosen.table);
  if (!chosen.left_out.empty())
    text += fmt::format("no room for {}; harness best --wide shows all\n", fmt::join(chosen.left_out, ", "));
  return text;
}

/// What the speedups of a campaign are over: the headings, and the words of its score.
struct Over {
  explicit Over(const CampaignSummary& summary) {
    const auto eager = [&](const BestRow& row) {
      return std::ranges::find(summary.over_eager, row.state.kernel) != summary.over_eager.end();
    };
    if (summary.best.empty() || !std::ranges::any_of(summary.best, eager)) return;
    if (std::ranges::all_of(summary.best, eager)) {
      baseline = "eager";
      speedup = "over eager";
      words = "speedups over eager PyTorch";
    } else {
      words += fmt::format("; of {} that is eager PyTorch", fmt::join(summary.over_eager, ", "));
    }
  }
  std::string baseline = "baseline", speedup = "speedup", words = "speedups over the baselines";
};

}  // namespace

std::string closing_text(const CampaignSummary& summary) {
  const Over over(summary);
  const bool limits =
      std::ranges::any_of(summary.best, [](const BestRow& row) { return row.state.of_limit.has_value(); });
  Table table{{"kernel", "workload", "best variant", "configuration", summary.predicts.empty() ? "time" : "predicted",
               over.baseline, over.speedup, limits ? "of limit" : "of floor",
               summary.predicts.empty() ? "confirmed" : "counted twice"},
              {}};
  const bool rivals =
      std::ranges::any_of(summary.best, [](const BestRow& row) { return row.state.rival_ns.has_value(); });
  if (rivals) table.columns.insert(table.columns.end(), {"rival", "its time", "of its speed"});
  std::string example;
  for (const BestRow& row : summary.best) {
    const WorkloadState& state = row.state;
    table.rows.push_back({state.kernel, state.workload, state.best_ns ? state.best_variant : missing_best(row.tried),
                          to_text(row.config), Quantity{state.best_ns, Unit::ns}, Quantity{state.baseline_ns, Unit::ns},
                          Quantity{state.speedup, Unit::ratio},
                          Quantity{limits ? state.of_limit : state.of_floor, Unit::share},
                          !state.best_ns    ? "-"
                          : state.confirmed ? "yes"
                                            : "no"});
    if (rivals) add_rival(table.rows.back(), row);
    if (state.best_ns && example.empty()) example = fmt::format("harness show {}", row.iteration);
  }
  std::string text = closing_table(table);
  text += fmt::format("\ncampaign {} ended ({}): {}\n{} iterations: {}\n", summary.campaign, name(summary.reason),
                      summary.message, summary.iterations, outcome_counts(summary.outcomes));
  const auto tried = static_cast<std::size_t>(std::ranges::count(summary.best, true, &BestRow::tried));
  text += fmt::format("score {} (weighted geometric mean of the {}{}), {} spent, cost {}\n", ratio(summary.score),
                      over.words, score_coverage(tried, summary.best.size()), seconds(summary.spent_s),
                      money(summary.cost_usd));
  if (summary.kernels.size() > 1) text += shares_text(summary.kernels);
  text += proposers_text(summary.proposers);
  text += never_tried_text(summary.never_tried);
  if (const std::string predictions = calibration_text(summary.calibration); !predictions.empty())
    text += fmt::format("predictions, 90 % ranges: {}\n", predictions);
  if (!summary.predicts.empty())
    text += fmt::format("times are predicted for {} by counting, not measured (docs/profile.md)\n", summary.predicts);
  else if (summary.emulation) text += "times are emulation on a CPU: they rank nothing on a GPU\n";
  if (summary.reason == EndReason::interrupted || summary.reason == EndReason::device_lost ||
      summary.reason == EndReason::store_error)
    text += fmt::format("everything that ended is saved; go on with: harness run --resume {}\n", summary.campaign);
  else if (!example.empty())
    text += fmt::format("next: {}   or   harness history --campaign {}\n", example, summary.campaign);
  return text;
}

void TerminalDisplay::finished(const CampaignSummary& summary) {
  if (block_) block_->end();
  block_.reset();
  tell("{}", closing_text(summary));
  std::fflush(stdout);
}

}  // namespace harness::report
