#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bench/recorded_campaign.h"
#include "harness/campaign/state.h"
#include "harness/core/error.h"
#include "harness/replay/replay.h"
#include "harness/script/catalog/catalog.h"
#include "harness/script/strategy/library.h"
#include "harness/store/store.h"
#include "harness/store/transfer.h"

// How well strategies decide, and how fast.
//
//   strategies_bench compare EXPORT.jsonl [SEEDS] [BUDGET_SHARE] [STRATEGY...]
//     replays the last campaign of an export under each strategy and seed: the real loop, the recorded outcomes and
//     seconds, no device; configurations chosen by the search `default` (`exhaustive`: in order). The measure is the
//     mean of ln(score) over the time of the budget (the area under the score curve); the budget is a share of what the
//     record took. Record every configuration, so that no answer is missing.
//   strategies_bench table SEEDS BUDGET_SHARE STRATEGY,STRATEGY... RECORD...
//     the table of docs/reports/strategies.md, as Markdown: for each record and strategy the seconds of evaluating
//     until 95 % of the highest score that any of these replays reached. The budget is BUDGET_SHARE of what the record
//     took.
//   strategies_bench ends SEEDS BUDGET_SHARE STRATEGY ENDLESS RECORD...
//     how often a strategy ended a campaign too early: each campaign that it ended itself is led again by ENDLESS, the
//     same strategy without that end, which goes on for the rest of the budget.
//   strategies_bench decide [EVALUATIONS] [ARMS]
//     the time of one decision of roi over a history of so many evaluations.
using namespace harness;

namespace {

const std::string kHome = HARNESS_SOURCE_DIR;

// Processor time: other programs on the machine do not count.
double processor_now() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Series {
  std::vector<double> values;
  double mean() const {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  }
  /// Of the mean.
  double error() const {
    double squares = 0;
    for (const double value : values) squares += (value - mean()) * (value - mean());
    const auto n = static_cast<double>(values.size());
    return n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  }
};

struct Trial {
  Series area, score, held, early;
  std::vector<std::vector<ScorePoint>> curves;
  double overhead_s = 0;
};

/// Of the first two evaluations of each arm: the share of the 90 % ranges of the speedup that held.
std::optional<double> early_ranges(const Recording& recording) {
  std::map<std::int64_t, const Prediction*> predictions;
  for (const DecisionRecord& record : recording.decisions) predictions[record.id] = &record.decision.predict;
  std::map<ArmId, int> seen;
  int n = 0, held = 0;
  for (const IterationSummary& each : recording.iterations) {
    const auto predicted = predictions.find(each.decision);
    if (each.purpose != Purpose::search || !each.speedup || predicted == predictions.end()) continue;
    if (++seen[{each.candidate.kernel, each.workload, each.candidate.technique}] > 2) continue;
    const Prediction& range = *predicted->second;
    if (range.speedup_lo >= range.speedup_hi) continue;
    ++n;
    held += *each.speedup >= range.speedup_lo && *each.speedup <= range.speedup_hi ? 1 : 0;
  }
  return n > 0 ? std::optional(static_cast<double>(held) / n) : std::nullopt;
}

Trial try_strategy(const std::string& strategy, const Recording& recording, ReplayCatalog& plugins,
                   ScriptLibrary& scripts, int seeds, double budget_s) {
  Trial trial;
  for (int seed = 1; seed <= seeds; ++seed) {
    ReplayOptions options;
    options.strategy = strategy;
    options.search = strategy == "exhaustive" ? "exhaustive" : "default";
    options.seed = static_cast<std::uint64_t>(seed);
    options.budget_s = budget_s;
    const Replayed run = replay(recording, plugins, scripts, nullptr, options);
    if (run.summary.reason == EndReason::script_error) throw bad_input(strategy + ": " + run.summary.message);
    const auto curve = score_curve(run.recording, workload_weights(run.summary));
    trial.area.values.push_back(mean_log_score(curve, budget_s));
    trial.score.values.push_back(curve.back().score);
    trial.overhead_s = overhead_seconds(run.recording);
    trial.curves.push_back(curve);
    if (const auto early = early_ranges(run.recording)) trial.early.values.push_back(*early);
    const Calibration& calibration = run.summary.calibration;
    if (calibration.speedup_n > 0)
      trial.held.values.push_back(static_cast<double>(calibration.speedup_held) /
                                  static_cast<double>(calibration.speedup_n));
  }
  return trial;
}

/// The last campaign of an export.
Recording recording_of(const std::string& file) {
  auto store = store::Store::in_memory();
  const auto report = store::import_store(*store, file);
  std::int64_t campaign = 0;
  for (std::int64_t id = 1; id <= report.campaigns; ++id)
    if (!store->campaign(id).strategy.empty()) campaign = id;
  return read_recording(*store, campaign);
}

int compare(const std::string& file, int seeds, double share, std::vector<std::string> strategies) {
  const Recording recording = recording_of(file);
  const std::int64_t campaign = recording.campaign;
  script::LuaCatalog catalog({kHome + "/kernels"}, {kHome + "/kernels/include"});
  ReplayCatalog plugins(catalog);
  script::Library scripts({kHome + "/strategies"}, {}, {kHome + "/playbook"});
  const double budget_s = share * recording.spent_s;
  fmt::print("campaign {} of {}: {} evaluations in {:.0f} s; budget {:.0f} s, {} seeds\n", campaign, file,
             recording.iterations.size(), recording.spent_s, budget_s, seeds);
  fmt::print("{:<12} {:>18} {:>18} {:>14} {:>8}\n", "strategy", "mean ln(score)", "final score", "ranges held",
             "s/seed");
  if (strategies.empty()) strategies = {"roi", "ladder", "exhaustive", "bandit"};
  for (const std::string& strategy : strategies) {
    const double begin = seconds_now();
    const Trial trial = try_strategy(strategy, recording, plugins, scripts, seeds, budget_s);
    fmt::print("{:<12} {:>8.4f} +- {:.4f}  {:>8.3f} +- {:.3f}  {:>11.0f} %  {:>7.2f}\n", strategy, trial.area.mean(),
               trial.area.error(), trial.score.mean(), trial.score.error(),
               trial.held.values.empty() ? 0 : 100 * trial.held.mean(), (seconds_now() - begin) / seeds);
    std::fflush(stdout);
  }
  return 0;
}

/// Seconds of evaluating until the score was reached first; what never reached it took the whole budget.
double seconds_to(const std::vector<ScorePoint>& curve, double score, double overhead_s, double budget_s) {
  for (const ScorePoint& point : curve)
    if (point.score >= score) return point.at_s - overhead_s;
  return budget_s - overhead_s;
}

double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string stem(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

/// A recorded campaign and the catalog that describes its arms.
struct Record {
  std::string name;
  Recording recording;
  std::unique_ptr<Catalog> catalog;
};

/// A file that harness export wrote, or sets of recorded spaces: NAME@SECONDS@SET[+SET...] (bench/recorded_campaign.h).
Record record_of(const std::string& word) {
  const std::vector<std::string> parts = split(word, '@');
  if (parts.size() != 3)
    return {stem(word), recording_of(word),
            std::make_unique<script::LuaCatalog>(std::vector<std::filesystem::path>{kHome + "/kernels"},
                                                 std::vector<std::filesystem::path>{kHome + "/kernels/include"})};
  std::vector<bench::SpaceSet> sets;
  for (const std::string& set : split(parts[2], '+')) sets.push_back(bench::space_set(set));
  auto catalog = std::make_unique<bench::SpacesCatalog>(sets);
  Recording recording = catalog->recording(std::atof(parts[1].c_str()));
  return {parts[0], std::move(recording), std::move(catalog)};
}

int table(int seeds, double share, const std::vector<std::string>& strategies, const std::vector<std::string>& words) {
  script::Library scripts({kHome + "/strategies"}, {}, {kHome + "/playbook"});
  for (const std::string& word : words) {
    const Record record = record_of(word);
    const Recording& recording = record.recording;
    ReplayCatalog plugins(*record.catalog);
    const double budget_s = share * recording.spent_s;
    std::vector<Trial> trials;
    double highest = 1;
    for (const std::string& strategy : strategies) {
      trials.push_back(try_strategy(strategy, recording, plugins, scripts, seeds, budget_s));
      for (const auto& curve : trials.back().curves)
        for (const ScorePoint& point : curve) highest = std::max(highest, point.score);
    }
    const double target = 0.95 * highest;
    fmt::print("\n{}: {} evaluations in {:.0f} s by `{}`; the highest score is {:.2f}x, 95 % of it are {:.2f}x\n\n",
               record.name, recording.iterations.size(), recording.spent_s, recording.record.strategy, highest, target);
    fmt::print(
        "| strategy | seconds to 95 % | quarter to three quarters | reached | mean ln(score) | final score "
        "| early ranges held | all |\n|---|---|---|---|---|---|---|---|\n");
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const Trial& trial = trials[i];
      std::vector<double> times;
      int reached = 0;
      for (const auto& curve : trial.curves) {
        times.push_back(seconds_to(curve, target, trial.overhead_s, budget_s));
        reached += std::ranges::any_of(curve, [&](const ScorePoint& point) { return point.score >= target; }) ? 1 : 0;
      }
      const auto percent = [](const Series& of) {
        return of.values.empty() ? std::string("-") : fmt::format("{:.0f} %", 100 * of.mean());
      };
      fmt::print("| {} | {:.0f} | {:.0f} to {:.0f} | {} of {} | {:.3f} | {:.2f}x | {} | {} |\n", stem(strategies[i]),
                 quantile(times, 0.5), quantile(times, 0.25), quantile(times, 0.75), reached, times.size(),
                 trial.area.mean(), trial.score.mean(), percent(trial.early), percent(trial.held));
      std::fflush(stdout);
    }
  }
  return 0;
}

/// Where STRATEGY ended a campaign by itself, and what going on would have brought within the budget.
int ends(int seeds, double share, const std::string& strategy, const std::string& endless,
         const std::vector<std::string>& words) {
  constexpr double kWorth = 0.002;  // what roi ends below, of ln(score) of a workload
  script::Library scripts({kHome + "/strategies"}, {}, {kHome + "/playbook"});
  fmt::print(
      "| record | replays | ended by itself | of these, another 0.2 % was left | most left | time left, median |\n"
      "|---|--:|--:|--:|--:|--:|\n");
  for (const std::string& word : words) {
    const Record record = record_of(word);
    ReplayCatalog plugins(*record.catalog);
    const double budget_s = share * record.recording.spent_s;
    int ended = 0, early = 0;
    double most = 0;
    std::vector<double> left_s;
    for (int seed = 1; seed <= seeds; ++seed) {
      const auto led_by = [&](const std::string& name) {
        ReplayOptions options;
        options.strategy = name;
        options.search = "default";
        options.seed = static_cast<std::uint64_t>(seed);
        options.budget_s = budget_s;
        return replay(record.recording, plugins, scripts, nullptr, options);
      };
      const Replayed run = led_by(strategy);
      if (run.summary.reason != EndReason::strategy) continue;
      ++ended;
      left_s.push_back(1 - run.summary.spent_s / budget_s);
      const double gain = std::log(led_by(endless).summary.score.value_or(1) / run.summary.score.value_or(1));
      early += gain > kWorth ? 1 : 0;
      most = std::max(most, gain);
    }
    fmt::print("| {} | {} | {} | {} | {:.1f} % | {} |\n", record.name, seeds, ended, early, 100 * std::expm1(most),
               left_s.empty() ? "-" : fmt::format("{:.0f} %", 100 * quantile(left_s, 0.5)));
    std::fflush(stdout);
  }
  return 0;
}

/// Never asks: the history is told from outside.
class SilentSearch : public Search {
 public:
  ScriptIdentity identity() const override { return {"silent", ""}; }
  std::optional<SearchAsk> ask() override { return std::nullopt; }
  void tell(const SearchResult&) override {}
};

Arms made_up_arms(int count) {
  Arms arms;
  for (int i = 0; i < count; ++i) {
    const std::string workload = fmt::format("w{}", i % 12), technique = fmt::format("t{}", i / 12);
    if (i < 12) {
      WorkloadPlan plan;
      plan.kernel = "k";
      plan.workload = workload;
      plan.baseline = {"k", "00_base", "t0", {}};
      arms.workloads.push_back(plan);
    }
    Arm& arm = arms.arms.emplace_back();
    arm.state.id = arm.space.id = {"k", workload, technique};
    arm.state.prior = {1.2, 4, 0.8, 40};
    arm.state.risk = "low";
    arm.state.space_points = 1000000;
    arm.search = std::make_unique<SilentSearch>();
  }
  return arms;
}

int decide(int evaluations, int count) {
  CampaignState state(made_up_arms(count), 1);
  std::uint64_t random = 7;
  const double begin = seconds_now();
  for (int i = 1; i <= evaluations; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const double share = static_cast<double>(random >> 11) / 9007199254740992.0;
    const ArmId& id = state.arms().arms[static_cast<std::size_t>(i % count)].state.id;
    IterationSummary iteration;
    iteration.iteration = i;
    iteration.candidate = {"k", "10_x", id.technique, {{"N", std::int64_t{i}}}};
    iteration.workload = id.workload;
    iteration.purpose = Purpose::search;
    iteration.ask = i;
    iteration.wall_s = 0.3 + 0.2 * share;
    iteration.outcome = share < 0.8 ? OutcomeKind::passed : OutcomeKind::wrong_answer;
    if (share < 0.8) {
      iteration.speedup = 1 + 2 * share + i * 1e-6;
      iteration.time_ns = 1000 / *iteration.speedup;
    }
    state.apply(iteration);
  }
  const double told = seconds_now() - begin;
  script::Library scripts({kHome + "/strategies"}, {}, {kHome + "/playbook"});
  const auto strategy = scripts.strategy("roi");
  std::vector<double> times;
  for (int i = 0; i < 21; ++i) {
    const double start = processor_now();
    Snapshot snapshot = state.snapshot(4.0);
    snapshot.budget_s = 1e7;
    strategy->decide(snapshot);
    times.push_back(1000 * (processor_now() - start));
  }
  std::sort(times.begin(), times.end());
  fmt::print(
      "{} evaluations, {} arms: a decision of roi takes {:.2f} ms (median of {}, most {:.2f}); telling one "
      "evaluation {:.2f} us\n",
      evaluations, count, times[times.size() / 2], times.size(), times.back(), 1e6 * told / evaluations);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto word = [&](std::size_t i, const char* otherwise) { return i < words.size() ? words[i] : otherwise; };
  try {
    if (word(0, "") == "decide") return decide(std::atoi(word(1, "100000").c_str()), std::atoi(word(2, "72").c_str()));
    if (word(0, "") == "table" && words.size() > 4)
      return table(std::atoi(words[1].c_str()), std::atof(words[2].c_str()), split(words[3], ','),
                   {words.begin() + 4, words.end()});
    if (word(0, "") == "ends" && words.size() > 5)
      return ends(std::atoi(words[1].c_str()), std::atof(words[2].c_str()), words[3], words[4],
                  {words.begin() + 5, words.end()});
    if (word(0, "") == "compare" && words.size() > 1)
      return compare(
          words[1], std::atoi(word(2, "20").c_str()), std::atof(word(3, "0.3").c_str()),
          {words.begin() + std::min<std::ptrdiff_t>(4, static_cast<std::ptrdiff_t>(words.size())), words.end()});
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  fmt::print(stderr,
             "strategies_bench compare EXPORT.jsonl [SEEDS] [BUDGET_SHARE] [STRATEGY...] | table SEEDS BUDGET_SHARE "
             "STRATEGY,... "
             "RECORD... | ends SEEDS BUDGET_SHARE STRATEGY ENDLESS RECORD... | decide [EVALUATIONS] [ARMS]\n");
  return 2;
}
