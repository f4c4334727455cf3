#include "harness/replay/replay.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "harness/campaign/loop.h"
#include "harness/replay/comparison.h"
#include "harness/replay/current_plugins.h"
#include "tests/fakes/ports.h"

using namespace harness;
using namespace harness::fakes;

namespace {

/// A campaign that was run with fakes, and what it takes to replay it.
struct Past {
  FakeClock clock;
  FakeCatalog catalog;
  FakeScripts scripts;
  FakeEvaluator evaluator{clock};
  FakeLedger ledger;
  FakeDisplay display;
  CampaignOptions options;

  Past() {
    options.kernels = {"k"};
    options.strategy = "fake";
  }
  Recording record() {
    Campaign({catalog, scripts, evaluator, ledger, display, clock, {}, json::object()}, options, std::nullopt).run();
    return read_recording(ledger, 1);
  }
  Replayed replay(const Recording& recorded, ReplayOptions options = {}) {
    ReplayCatalog plugins(catalog);
    return harness::replay(recorded, plugins, scripts, nullptr, options);
  }
};

/// The arms in the other order.
Decision last_open(const Snapshot& snapshot) {
  for (auto arm = snapshot.arms.rbegin(); arm != snapshot.arms.rend(); ++arm)
    if (!arm->exhausted && !arm->closed) return FakeScripts::try_arm(*arm);
  Decision stop;
  stop.action = Action::stop;
  stop.reason = EndReason::exhausted;
  return stop;
}

std::vector<std::string> told(const Recording& recording) {
  std::vector<std::string> rows;
  for (const IterationSummary& row : recording.iterations)
    rows.push_back(fmt::format("{} {} {} {} {} {}", name(row.purpose), row.workload, row.candidate.variant,
                               to_text(row.candidate.config), name(row.outcome),
                               row.verdict ? name(*row.verdict) : "-"));
  return rows;
}

}  // namespace

TEST_CASE("a winner that failed its confirmation is no best of the record either") {
  Past past;
  past.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (candidate.variant != "10_tile") return FakeEvaluator::honest(request);
    const auto n = std::get<std::int64_t>(candidate.config.at("N"));
    if (request.confirm && n == 1) return WrongAnswer{"race", {}, "rows"};
    return FakeEvaluator::passed(100 + 10 * static_cast<double>(n), request);  // each slower than the one before
  };
  const Recording recorded = past.record();
  Podium podium;
  for (const IterationSummary& row : recorded.iterations) podium.apply(row);
  REQUIRE(podium.best("k", "w1") != nullptr);
  CHECK(to_text(podium.best("k", "w1")->candidate.config) == "N=2");
}

TEST_CASE("a replay with the recorded strategy tells the record again") {
  Past past;
  past.options.budget_s = 15;
  const Recording recorded = past.record();
  const Replayed replayed = past.replay(recorded);
  CHECK(told(replayed.recording) == told(recorded));
  CHECK(replayed.summary.spent_s == Approx(recorded.spent_s));
  CHECK(replayed.answers.verdicts_recomputed == 0);
  CHECK(replayed.answers.stand_ins == 0);
  CHECK(comparison_json(recorded, replayed).at("parting").is_null());
  CHECK(comparison_json(recorded, replayed).at("same_by_construction") == true);
}

TEST_CASE("a campaign of four devices replays to the same decisions, in the order in which its evaluations ended") {
  Past past;
  past.scripts.several = true;
  FakeFleet fleet(past.clock, 4);
  fleet.costs = [](std::size_t device, const EvaluationRequest& request) {
    const Config& config = request.realized.candidate.config;
    const double n = config.contains("N") ? static_cast<double>(std::get<std::int64_t>(config.at("N"))) : 2;
    return 1 + 0.3 * static_cast<double>(device) + static_cast<double>(static_cast<int>(7 * n) % 5);
  };
  json nodes = json::array();
  for (const FleetDevice& device : fleet.devices()) nodes.push_back({{"node", device.node}, {"uuid", device.uuid}});
  CampaignPorts ports{past.catalog,
                      past.scripts,
                      past.evaluator,
                      past.ledger,
                      past.display,
                      past.clock,
                      {},
                      {{"nodes", nodes}, {"devices", 4}}};
  ports.fleet = &fleet;
  Campaign(std::move(ports), past.options, std::nullopt).run();
  const Recording recorded = read_recording(past.ledger, 1);
  const Replayed replayed = past.replay(recorded);
  CHECK(told(replayed.recording) == told(recorded));
  REQUIRE(replayed.recording.decisions.size() == recorded.decisions.size());
  for (std::size_t i = 0; i < recorded.decisions.size(); ++i) {
    CHECK(replayed.recording.decisions[i].decision.arm == recorded.decisions[i].decision.arm);
    CHECK(replayed.recording.decisions[i].decision.action == recorded.decisions[i].decision.action);
  }
  CHECK(replayed.answers.stand_ins == 0);
  CHECK(replayed.answers.verdicts_recomputed == 0);
}

// One card is two times as fast in everything: its raw times say nothing about candidates.
TEST_CASE("a replay compares the times of several cards as the campaign did, on the scale of the anchor card") {
  Past past;
  past.scripts.several = true;
  FakeFleet fleet(past.clock, 2);
  fleet.answer = [](std::size_t device, const EvaluationRequest& request) -> Outcome {
    const double scale = device == 1 ? 0.5 : 1.0;
    Outcome outcome = FakeEvaluator::honest(request);
    Timing& timing = std::get<Passed>(outcome).timing;
    timing.time_ns *= scale;
    timing.time_lo_ns *= scale;
    timing.time_hi_ns *= scale;
    if (request.incumbent) timing.incumbent_ns = request.incumbent->time_ns * scale;
    return outcome;
  };
  CampaignPorts ports{past.catalog, past.scripts, past.evaluator,  past.ledger, past.display,
                      past.clock,   {},           {{"devices", 2}}};
  ports.fleet = &fleet;
  Campaign(std::move(ports), past.options, std::nullopt).run();
  std::map<std::int64_t, double> anchored;
  for (const IterationSummary& row : past.ledger.iterations(1))
    if (row.anchor_ns) anchored[row.iteration] = *row.anchor_ns;
  REQUIRE(anchored.size() > 2);
  for (const IterationSummary& row : read_recording(past.ledger, 1).iterations)
    if (const auto of = anchored.find(row.iteration); of != anchored.end()) CHECK(*row.time_ns == Approx(of->second));
}

TEST_CASE("another strategy gets the recorded outcomes in its own order, with verdicts against its own incumbents") {
  Past past;
  const Recording recorded = past.record();
  past.scripts.decide = last_open;
  const Replayed replayed = past.replay(recorded);
  CHECK(replayed.summary.reason == EndReason::exhausted);
  CHECK(*replayed.summary.score == Approx(10));
  CHECK(replayed.recording.iterations.front().workload == "w2");
  CHECK(replayed.recording.iterations.size() == recorded.iterations.size());
  const json comparison = comparison_json(recorded, replayed);
  CHECK(comparison.at("parting").at("place") == 1);
  CHECK(comparison.at("recorded").at("score") == comparison.at("replayed").at("score"));
}

TEST_CASE("a verdict against another incumbent comes from the recorded intervals") {
  Past past;
  past.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    Outcome outcome = FakeEvaluator::honest(request);
    auto& timing = std::get<Passed>(outcome).timing;
    timing.time_lo_ns = timing.time_ns * 0.4;  // so wide that neighbours cannot be told apart
    timing.time_hi_ns = timing.time_ns * 1.6;
    return outcome;
  };
  const Recording recorded = past.record();
  REQUIRE(recorded.iterations.back().time_lo_ns);
  past.scripts.decide = last_open;
  const Replayed replayed = past.replay(recorded);
  CHECK(replayed.answers.verdicts_recomputed == 0);  // each arm's incumbents are those of the record

  Recording reversed = recorded;  // the search of the record went the other way
  std::reverse(reversed.iterations.begin(), reversed.iterations.end());
  const Replayed other = past.replay(reversed);
  CHECK(other.answers.verdicts_recomputed > 0);
  bool same = false;
  for (const IterationSummary& row : other.recording.iterations) same = same || row.verdict == Comparison::same;
  CHECK(same);
}

TEST_CASE("an arm ends where its record ends, and the replay says so") {
  Past past;
  past.options.budget_s = 9;
  const Recording recorded = past.record();
  past.scripts.decide = last_open;
  ReplayOptions options;
  options.budget_s = 1000;
  const Replayed replayed = past.replay(recorded, options);
  CHECK(replayed.summary.reason == EndReason::exhausted);
  CHECK(replayed.answers.ended.contains(ArmId{"k", "w2", "tile"}));
  CHECK(replayed.answers.unanswered == 1);  // the baseline of w2, which the record never reached
  CHECK(replayed.recording.iterations.size() <= recorded.iterations.size() + 1);
  CHECK(comparison_json(recorded, replayed).at("answers").at("unanswered") == 1);
}

TEST_CASE("a search that asks for what was never evaluated is given the nearest that was, or ends") {
  Past past;
  Recording recorded = past.record();
  std::erase_if(recorded.iterations, [](const IterationSummary& row) {
    const std::string config = to_text(row.candidate.config);
    return row.workload == "w1" && (config == "N=1" || config == "N=2" || config == "N=6");
  });
  const Replayed replayed = past.replay(recorded);
  // N=1 is answered by N=3, which is the nearest; then N=2 by N=4, N=3 and N=4 are known, N=6 by N=7.
  CHECK(replayed.answers.stand_ins == 3);
  REQUIRE(replayed.answers.examples.size() == 3);
  CHECK(replayed.answers.examples[0] == "10_tile N=1 on w1 was never evaluated; answered by 10_tile N=3 on w1");
  CHECK(replayed.answers.examples[2] == "10_tile N=6 on w1 was never evaluated; answered by 10_tile N=7 on w1");

  ReplayOptions exact;
  exact.stand_ins = false;
  const Replayed strict = past.replay(recorded, exact);
  CHECK(strict.answers.stand_ins == 0);
  CHECK(strict.answers.ended.contains(ArmId{"k", "w1", "tile"}));
}

TEST_CASE("of two configurations with the same machine code the first to be asked for is the one measured") {
  Past past;
  Recording recorded = past.record();
  for (IterationSummary& row : recorded.iterations) {
    if (row.workload != "w1" || row.purpose != Purpose::search) continue;
    const std::string config = to_text(row.candidate.config);
    if (config == "N=2") row.binary_hash = "same";
    if (config != "N=1") continue;  // recorded as a repetition of N=2, though the replay asks for it first
    row.binary_hash = "same";
    row.outcome = OutcomeKind::no_effect;
    row.time_ns = row.speedup = std::nullopt;
    row.wall_s = 0.25;
  }
  const Replayed replayed = past.replay(recorded);
  std::vector<std::string> outcomes;
  double seconds = 0;
  for (const IterationSummary& row : replayed.recording.iterations)
    if (row.binary_hash == "same") {
      outcomes.push_back(fmt::format("{} {}", to_text(row.candidate.config), name(row.outcome)));
      seconds += row.wall_s;
    }
  CHECK(outcomes == std::vector<std::string>{"N=1 passed", "N=2 no_effect"});
  CHECK(seconds == Approx(1.25));
}

TEST_CASE("a winner that was never confirmed is taken to hold, at the price of a confirmation, and counted") {
  Past past;
  Recording recorded = past.record();
  std::erase_if(recorded.iterations,
                [](const IterationSummary& row) { return row.purpose == Purpose::confirm && row.workload == "w1"; });
  const Replayed replayed = past.replay(recorded);
  CHECK(replayed.answers.confirmations == 1);
  CHECK(replayed.answers.assumed_confirmations == 1);
  CHECK(replayed.summary.best[0].state.confirmed);
}

TEST_CASE("time in a replay is the record's: its overhead, its seconds, its hour") {
  Past past;
  past.evaluator.cost_s = 30;
  Recording recorded = past.record();
  recorded.spent_s += 100;  // admission and the like
  std::vector<std::int64_t> hours;
  past.scripts.decide = [&](const Snapshot& snapshot) {
    hours.push_back(snapshot.now_unix);
    return FakeScripts::first_open(snapshot);
  };
  const Replayed replayed = past.replay(recorded);
  CHECK(replayed.summary.spent_s == Approx(recorded.spent_s));
  REQUIRE(hours.size() > 2);
  CHECK(hours[0] == recorded.decisions.front().now_unix);
  CHECK(hours[1] == hours[0] + 30);  // the baseline; its arm had nothing else to ask
}

TEST_CASE("a record is asked about today's configurations") {
  // Tile has a parameter M since, whose first value does not go with N=4; N=3 is refused, and workload w2 is gone.
  struct Newer : FakeKernel {
    Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device) override {
      const auto n = candidate.config.find("N");
      if (n != candidate.config.end() && to_text(n->second) == "3") throw bad_input("the constraint refuses N=3");
      if (to_text(candidate.config) == "M=5 N=4") throw bad_input("the constraint refuses M=5 with N=4");
      return FakeKernel::realize(candidate, workload, device);
    }
  };
  FakeCatalog newer(std::make_unique<Newer>());
  newer.info.variants[1].parameters = {{"M", {std::int64_t{5}, std::int64_t{6}}, "launch"}, {"N", {}, "launch"}};
  newer.info.workloads.pop_back();
  Past past;
  const Recording recorded = past.record();
  const CurrentRecord today = with_current_plugins(recorded, newer);
  int tiles = 0;
  for (const IterationSummary& row : today.recording.iterations) {
    CHECK(row.workload == "w1");
    if (row.candidate.variant != "10_tile") continue;
    ++tiles;
    const std::string config = to_text(row.candidate.config);
    CHECK((config == "M=6 N=4" || (config.starts_with("M=5 N=") && config != "M=5 N=4")));
    CHECK(config != "M=5 N=3");
  }
  CHECK(tiles >= 7);
  CHECK(today.notes ==
        std::vector<std::string>{"1 recorded configuration of k 10_tile has gone since, so it answers nothing: the "
                                 "constraint refuses N=3",
                                 "k 10_tile has a parameter M since: recorded configurations stand for M=5",
                                 "k 10_tile has a parameter M since: recorded configurations stand for M=6",
                                 "workload w2 of k has gone since: its recorded evaluations answer nothing"});
}

TEST_CASE("the curve of the score starts at 1 and its mean counts the time before anything was found") {
  const std::vector<ScorePoint> curve{{0, 1, 0}, {10, 2, 1}, {30, 4, 2}};
  CHECK(mean_log_score(curve, 40) == Approx((20 * std::log(2.0) + 10 * std::log(4.0)) / 40));
  CHECK(mean_log_score(curve, 20) == Approx(10 * std::log(2.0) / 20));
}

TEST_CASE("a campaign that decided nothing, or holds nothing, cannot be replayed") {
  FakeLedger ledger;
  CampaignRecord record;
  ledger.begin_campaign(record);
  CHECK_THROWS_WITH(read_recording(ledger, 1), Catch::Contains("single eval"));
  ledger.campaigns[0].strategy = "roi";
  CHECK_THROWS_WITH(read_recording(ledger, 1), Catch::Contains("holds no evaluation"));
}

TEST_CASE("decisions for the same arm are one stretch with the reason that began it") {
  Past past;
  const Recording recorded = past.record();
  const Replayed replayed = past.replay(recorded);
  const auto list = stretches(recorded, workload_weights(replayed.summary));
  REQUIRE(list.size() >= 4);
  CHECK(list[0].arm == ArmId{"k", "w1", "base"});
  CHECK(list[1].arm == ArmId{"k", "w1", "tile"});
  CHECK(list[1].evaluations == 8);
  CHECK(*list[1].best_speedup == Approx(10));
  CHECK(list[1].why == "the first that is open");
  CHECK(list.back().action == Action::confirm);
}

TEST_CASE("a replay tells the record's rivals again, and asks for none where the record has none") {
  Past past;
  VariantInfo other;
  other.name = "80_other";
  other.technique = "other";
  other.rival = true;
  past.catalog.info.variants.push_back(other);
  past.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (candidate.variant != "80_other") return FakeEvaluator::honest(request);
    if (std::get<std::int64_t>(candidate.config.at("N")) > 2) return Unsupported{"it offers 2"};
    return FakeEvaluator::passed(60, request);
  };
  const Recording recorded = past.record();
  const Replayed replayed = past.replay(recorded);
  CHECK(told(replayed.recording) == told(recorded));
  CHECK(replayed.answers.unanswered == 0);
  CHECK(replayed.summary.best.at(0).state.rival_ns == 60.0);

  Past without;
  without.catalog.info.variants = past.catalog.info.variants;
  without.options.rivals = false;
  const Recording plain = without.record();
  CHECK(told(without.replay(plain).recording) == told(plain));
}

TEST_CASE("what was screened is screened again beside the same incumbent, and taken to pass beside a slower one") {
  Past past;
  past.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (candidate.variant == "00_base") return FakeEvaluator::honest(request);
    const auto n = std::get<std::int64_t>(candidate.config.at("N"));
    const Outcome outcome = FakeEvaluator::passed(100 + 10 * static_cast<double>(n), request);
    const Timing timing = *timing_of(outcome);
    if (request.screen && timing.verdict == Comparison::slower) return Screened{timing};
    return outcome;
  };
  const Recording recorded = past.record();
  const auto count_screened = [](const Recording& recording) {
    return std::ranges::count(recording.iterations, OutcomeKind::screened, &IterationSummary::outcome);
  };
  CHECK(count_screened(recorded) == 14);
  CHECK(told(past.replay(recorded).recording) == told(recorded));

  past.scripts.backwards = true;  // each is then faster than the one before
  const Replayed other = past.replay(recorded);
  CHECK(count_screened(other.recording) == 0);
  CHECK(to_text(other.summary.best[0].config) == "N=1");
}
