#include <catch2/catch.hpp>

#include "harness/campaign/failed_sources.h"
#include "tests/campaign/world.h"

// What a campaign does with candidates that were right at the timed size and too slow to need the other gates.
using namespace harness;
using namespace harness::fakes;

namespace {

std::int64_t n_of(const Candidate& candidate) {
  return candidate.variant == "10_tile" ? std::get<std::int64_t>(candidate.config.at("N")) : 0;
}

/// Each configuration of the tile is slower than the one before; what is slower than the incumbent is screened.
Outcome slower_each_time(const EvaluationRequest& request) {
  if (request.realized.candidate.variant != "10_tile") return FakeEvaluator::honest(request);
  Outcome outcome = FakeEvaluator::passed(100 + 10 * static_cast<double>(n_of(request.realized.candidate)), request);
  const Timing timing = *timing_of(outcome);
  if (request.screen && timing.verdict == Comparison::slower) return Screened{timing};
  return outcome;
}

bool is_screened(const IterationSummary& row) {
  return row.outcome == OutcomeKind::screened;
}

}  // namespace

TEST_CASE("only what a search asked for is screened, and not where it wants exact times") {
  const bool exact = GENERATE(false, true);
  World world;
  world.scripts.exact_times = exact;
  world.evaluator.answer = [exact](const EvaluationRequest& request) -> Outcome {
    const bool searched = request.realized.candidate.variant == "10_tile" && !request.confirm;
    CHECK(request.screen == (searched && !exact));
    return FakeEvaluator::honest(request);
  };
  world.run();
  CHECK(world.evaluator.confirms == 2);
}

TEST_CASE("where one configuration must win on all workloads nothing is screened") {
  World world;
  world.options.objective = "single";
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    CHECK_FALSE(request.screen);
    return FakeEvaluator::honest(request);
  };
  world.run();
}

TEST_CASE("what was screened is told with its time, and is never a best, an incumbent or a winner") {
  World world;
  std::vector<std::string> incumbents;
  world.evaluator.answer = [&](const EvaluationRequest& request) -> Outcome {
    if (request.incumbent) incumbents.push_back(to_text(request.incumbent->realized.candidate.config));
    return slower_each_time(request);
  };
  std::map<std::string, ArmState> arms;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    for (const ArmState& arm : snapshot.arms) arms[arm.id.workload + " " + arm.id.technique] = arm;
    return FakeScripts::first_open(snapshot);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.outcomes.at("screened") == 14);
  CHECK(to_text(summary.best[0].config) == "N=1");
  CHECK(summary.best[0].state.confirmed);
  for (const std::string& config : incumbents) CHECK((config.empty() || config == "N=1"));
  for (const IterationSummary& row : world.ledger.rows)
    if (row.purpose == Purpose::confirm) CHECK(to_text(row.candidate.config) == "N=1");
  CHECK(arms.at("w1 tile").timed == 8);  // each has a time
}

TEST_CASE("a search is told a screened time") {
  World world;
  world.evaluator.answer = slower_each_time;
  world.run();
  CHECK(std::ranges::count_if(world.ledger.rows, is_screened) == 14);
  std::size_t screened = 0;
  for (const SearchResult& result : world.scripts.told) {
    CHECK(result.time_ns);
    screened += result.outcome == OutcomeKind::screened ? 1 : 0;
  }
  CHECK(screened == 14);
}

TEST_CASE("where the winner falls, the fastest of the screened meets all gates before it may win") {
  World world;
  bool met_all_gates = false;
  world.evaluator.answer = [&](const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (request.confirm && n_of(candidate) == 1) return WrongAnswer{"race", {}, "rows"};
    if (!request.confirm && !request.screen && n_of(candidate) == 2) met_all_gates = true;
    return slower_each_time(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(met_all_gates);
  CHECK(to_text(summary.best[0].config) == "N=2");
  CHECK(summary.best[0].state.confirmed);
}

TEST_CASE("a screened one that fails the other gates does not win in the fallen winner's place") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (request.confirm && n_of(candidate) == 1) return WrongAnswer{"race", {}, "rows"};
    if (!request.screen && n_of(candidate) == 2) return WrongAnswer{"tail", {}, "columns"};
    return slower_each_time(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(to_text(summary.best[0].config) == "N=3");
  CHECK(summary.best[0].state.confirmed);
}

TEST_CASE("a campaign with screened iterations resumes where it was") {
  World world;
  world.evaluator.answer = slower_each_time;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    if (snapshot.iterations == 6) world.stop = true;
    return FakeScripts::first_open(snapshot);
  };
  CHECK(world.run().reason == EndReason::interrupted);
  world.stop = false;
  world.scripts.decide = FakeScripts::first_open;
  const CampaignSummary summary = world.run(1);
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(count(world.ledger, Purpose::search) == 16);
  CHECK(to_text(summary.best[0].config) == "N=1");
}

namespace {

/// Three launches of the baseline take 8 s, all its gates 30; a candidate takes one.
struct SlowBaseline : World {
  SlowBaseline() {
    options.budget_s = 100;
    evaluator.costs = [this](const EvaluationRequest& request) {
      if (request.realized.candidate.variant != "00_base" || request.confirm) return 1.0;
      ++(request.brief_s > 0 ? brief : complete);
      return request.brief_s > 0 ? 8.0 : 30.0;
    };
    evaluator.answer = [this](const EvaluationRequest& request) -> Outcome {
      if (request.realized.candidate.variant != "00_base") return FakeEvaluator::passed(tile_ns, request);
      CHECK(request.brief_s <= 10);
      if (request.brief_s > 0) return Screened{*timing_of(FakeEvaluator::passed(1000, request))};
      if (is_wrong) return WrongAnswer{"tail", {}, "columns"};
      return FakeEvaluator::passed(1000, request);
    };
  }
  double tile_ns = 10;
  bool is_wrong = false;
  int brief = 0, complete = 0;
};

}  // namespace

TEST_CASE("a slow baseline is told by a few launches, and what is tried beside it knows its speedup") {
  SlowBaseline world;
  const CampaignSummary summary = world.run();
  CHECK(world.brief == 2);
  CHECK(world.complete == 0);  // something faster was found
  for (const BestRow& row : summary.best) {
    CHECK(row.state.best_variant == "10_tile");
    CHECK(row.state.speedup == Approx(100));
    CHECK(row.state.baseline_ns == 1000);
    CHECK(row.state.confirmed);
  }
}

TEST_CASE("where nothing is faster than a slow baseline, it meets the gates that were left out") {
  SlowBaseline world;
  world.options.budget_s = 200;
  world.tile_ns = 5000;
  const CampaignSummary summary = world.run();
  CHECK(world.brief == 2);
  CHECK(world.complete == 2);
  for (const BestRow& row : summary.best) CHECK(row.state.best_variant == "00_base");
}

TEST_CASE("a slow baseline that fails the gates that were left out is never right, and nothing is compared with it") {
  SlowBaseline world;
  world.options.budget_s = 200;
  world.tile_ns = 5000;
  world.is_wrong = true;
  const CampaignSummary summary = world.run();
  CHECK(world.complete == 2);
  for (const BestRow& row : summary.best) {
    CHECK(row.state.best_variant == "10_tile");
    CHECK_FALSE(row.state.baseline_ns);
  }
}

TEST_CASE("a baseline meets all gates at once where no budget presses, and where one configuration must win") {
  World world;
  SECTION("no budget") {}
  SECTION("one configuration") {
    world.options.budget_s = 1000;
    world.options.objective = "single";
  }
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    CHECK(request.brief_s == 0);
    return FakeEvaluator::honest(request);
  };
  world.run();
}

TEST_CASE("a source whose timed calls were wrong is refused in every configuration") {
  World world;
  world.evaluator.gates = [](const EvaluationRequest& request) -> std::vector<GateResult> {
    if (n_of(request.realized.candidate) != 1) return {};
    return {{"finite", true, ""}, {"timed-launch", false, "secretly chosen"}};
  };
  int refused = 0;
  world.evaluator.answer = [&](const EvaluationRequest& request) -> Outcome {
    if (request.failed_before) {
      ++refused;
      CHECK(request.failed_before->gate == "timed-launch");
      return Rejected{request.failed_before->gate, "failed before"};
    }
    if (n_of(request.realized.candidate) == 1) return WrongAnswer{"timed-launch", {}, "rows"};
    return FakeEvaluator::honest(request);
  };
  world.run();
  CHECK(refused == 15);  // all but the one that failed, on both workloads
}

TEST_CASE("a resumed campaign remembers the sources that failed") {
  World world;
  world.ledger.campaigns.push_back({.kernels = {"k"}});
  world.ledger.failed = {{7, "source", "sum after timing"}};
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.screen) CHECK(request.failed_before->iteration == 7);
    return FakeEvaluator::honest(request);
  };
  world.run(1);
}

TEST_CASE("what a failed gate says of the other configurations of a source") {
  FailedSources sources;
  sources.add({3, "cheat", "timed-launch:cold"});
  sources.add({4, "cheat", "plausibility"});
  sources.add({5, "tail", "form:one-hot"});
  sources.add({6, "noisy", "times-agree"});
  sources.add({7, "wrong", "finite"});
  sources.add({8, "", "timed-launch"});
  sources.add({9, "too fast", "plausibility"});
  CHECK(sources.refusal("cheat")->iteration == 3);
  for (const char* source : {"tail", "noisy", "wrong", ""}) CHECK_FALSE(sources.refusal(source));
  CHECK_FALSE(sources.refusal("too fast"));
  sources.add({10, "too fast", "plausibility"});
  CHECK(sources.refusal("too fast")->iteration == 10);
  CHECK(sources.was_wrong_elsewhere("tail"));
  CHECK_FALSE(sources.was_wrong_elsewhere("cheat"));
}
