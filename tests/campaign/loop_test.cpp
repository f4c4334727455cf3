#include "harness/campaign/loop.h"

#include <catch2/catch.hpp>

#include "tests/fakes/ports.h"

using namespace harness;
using namespace harness::fakes;

namespace {

struct World {
  FakeClock clock;
  FakeCatalog catalog;
  FakeScripts scripts;
  FakeEvaluator evaluator{clock};
  FakeLedger ledger;
  FakeDisplay display;
  bool stop = false;
  CampaignOptions options;

  World() { options.kernels = {"k"}; }
  CampaignSummary run(std::optional<std::int64_t> resume = {}) {
    Campaign campaign({catalog, scripts, evaluator, ledger, display, clock, [this] { return stop; }, json::object()},
                      options, resume);
    return campaign.run();
  }
};

int count(const FakeLedger& ledger, const std::string& purpose) {
  return static_cast<int>(
      std::count_if(ledger.rows.begin(), ledger.rows.end(), [&](const auto& row) { return row.purpose == purpose; }));
}

}  // namespace

TEST_CASE("a campaign measures each baseline once, tries every point and confirms the winners") {
  World world;
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == "exhausted");
  CHECK(count(world.ledger, "baseline") == 2);
  CHECK(count(world.ledger, "search") ==
        16);  // 8 points on each of two workloads; the baseline's own point is not measured twice
  CHECK(count(world.ledger, "confirm") == 2);
  REQUIRE(summary.best.size() == 2);
  CHECK(summary.best[0].state.best_variant == "10_tile");
  CHECK(*summary.best[0].state.speedup == Approx(10.0));
  CHECK(summary.best[0].state.confirmed);
  CHECK(*summary.score == Approx(10.0));
  CHECK(world.ledger.ended == "exhausted");
}

TEST_CASE("work that would not fit beside the confirmation is not begun") {
  World world;
  world.options.budget_s = 8;
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == "budget");
  CHECK(summary.spent_s <= 8 + 1e-9);
  CHECK(world.evaluator.confirms >= 1);
}

TEST_CASE("the money limit ends a campaign as the time limit does") {
  World world;
  world.options.usd_per_hour = 3600;  // a dollar a second
  world.options.max_cost_usd = 6;
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == "cost");
  CHECK(*summary.cost_usd <= 6 + 1e-9);
}

TEST_CASE("the goal ends a campaign early once every workload has reached it") {
  World world;
  world.options.goal_speedup = 2;
  world.scripts.decide = [](const Snapshot& snapshot) {  // workloads in turn
    const ArmState* fewest = nullptr;
    for (const ArmState& arm : snapshot.arms)
      if (!arm.exhausted && !arm.baseline && (fewest == nullptr || arm.evaluations < fewest->evaluations))
        fewest = &arm;
    return FakeScripts::try_arm(*fewest);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == "goal");
  CHECK(count(world.ledger, "search") == 4);  // 800 and 400 ns on each
}

TEST_CASE("a same verdict does not dethrone the incumbent") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) {
    if (request.realized.candidate.variant == "00_base") return FakeEvaluator::passed(1000, request);
    return FakeEvaluator::passed(
        500 - 0.1 * static_cast<double>(std::get<std::int64_t>(request.realized.candidate.config.at("N"))), request);
  };
  const CampaignSummary summary = world.run();
  CHECK(to_text(summary.best[0].config) == "N=1");
}

TEST_CASE("a winner that fails its confirmation gives way to the one before it") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (request.confirm && candidate.variant == "10_tile" && to_text(candidate.config) == "N=8")
      return WrongAnswer{"race", {}, "rows"};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(to_text(summary.best[0].config) == "N=7");
  CHECK(summary.best[0].state.confirmed);
}

TEST_CASE("failed experiments are recorded and the campaign goes on") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "10_tile") return Crashed{CrashKind::trap, "trap: in block 3"};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == "exhausted");
  CHECK(summary.outcomes.at("crashed") == 16);
  CHECK(summary.best[0].state.best_variant == "00_base");
}

TEST_CASE("choosing another arm is announced as a pivot with its reason") {
  World world;
  world.run();
  REQUIRE_FALSE(world.display.pivots.empty());
  CHECK(world.display.pivots[0].action == "pivot");
  CHECK(world.display.pivots[0].from->technique == "tile");  // the baseline's point was answered from the record
  CHECK(world.display.pivots[0].why == "the first that is open");
}

TEST_CASE("a script error ends the campaign with everything saved") {
  World world;
  world.scripts.decide = [](const Snapshot& snapshot) -> Decision {
    if (snapshot.iterations >= 3) throw bad_input("strategies/bad.lua:7: attempt to index a nil value");
    return FakeScripts::first_open(snapshot);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == "script_error");
  CHECK(summary.message.find("bad.lua:7") != std::string::npos);
  CHECK(world.ledger.rows.size() == 3);
  CHECK(world.ledger.ended == "script_error");
}

TEST_CASE("a strategy that chooses an exhausted or unknown arm is told so") {
  World world;
  world.scripts.decide = [](const Snapshot& snapshot) {
    Decision decision = FakeScripts::try_arm(snapshot.arms[0]);
    decision.arm.technique = "nonsense";
    return decision;
  };
  CHECK(world.run().reason == "script_error");
}

TEST_CASE("a store that fails ends the campaign as store_error") {
  World world;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    if (snapshot.iterations == 2) world.ledger.full = true;
    return FakeScripts::first_open(snapshot);
  };
  CHECK(world.run().reason == "store_error");
}

TEST_CASE("a lost device ends the campaign and no candidate is blamed for it") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "10_tile") return Crashed{CrashKind::device_lost, "no such GPU"};
    return FakeEvaluator::honest(request);
  };
  CHECK(world.run().reason == "device_lost");
  CHECK(world.ledger.rows.back().outcome == "passed");              // the baseline's
  CHECK(world.ledger.attempts.size() == world.ledger.rows.size() + 1);   // an orphan, tried again on resume
}

TEST_CASE("an interrupted campaign resumes where it was and measures nothing twice") {
  World world;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    if (snapshot.iterations == 6) world.stop = true;
    return FakeScripts::first_open(snapshot);
  };
  CHECK(world.run().reason == "interrupted");
  const std::size_t before = world.ledger.rows.size();
  world.stop = false;
  world.scripts.decide = FakeScripts::first_open;
  const CampaignSummary summary = world.run(1);
  CHECK(summary.reason == "exhausted");
  CHECK(before < world.ledger.rows.size());
  CHECK(count(world.ledger, "baseline") == 2);
  CHECK(count(world.ledger, "search") == 16);
  CHECK(*summary.score == Approx(10.0));
}

TEST_CASE("a resume is refused when the search now asks for something else") {
  World world;
  world.options.budget_s = 8;
  world.run();
  for (IterationSummary& row : world.ledger.rows)
    if (row.purpose == "search") row.candidate.config["N"] = std::int64_t{5};
  world.options.budget_s.reset();
  CHECK_THROWS_WITH(world.run(1), Catch::Contains("cannot be resumed"));
}

TEST_CASE("an attempt that killed the harness twice is recorded as crashed and not tried again") {
  World world;
  AttemptRecord record;
  record.candidate = {"k", "10_tile", "tile", {{"N", std::int64_t{1}}}};
  record.workload = "w1";
  record.ask = 1;
  record.purpose = "search";
  world.ledger.campaigns.emplace_back();
  world.ledger.orphaned = {{1, record, 2}};
  world.run(1);
  const auto row = std::find_if(world.ledger.rows.begin(), world.ledger.rows.end(), [](const auto& r) {
    return r.workload == "w1" && r.purpose == "search" && r.ask == 1;
  });
  REQUIRE(row != world.ledger.rows.end());
  CHECK(row->outcome == "crashed");
}

TEST_CASE("evidence of earlier campaigns reaches the strategy") {
  World world;
  world.ledger.earlier = {{{"k", "w1", "tile"}, 12, 3, 99.0, 4.5}};
  bool seen = false;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    for (const ArmState& arm : snapshot.arms)
      if (arm.id == ArmId{"k", "w1", "tile"}) seen = arm.earlier_evaluations == 12 && *arm.earlier_best_speedup == 4.5;
    return FakeScripts::first_open(snapshot);
  };
  world.run();
  CHECK(seen);
}

TEST_CASE("an unknown workload or variant names the nearest one") {
  World world;
  world.options.workloads = {"w3"};
  CHECK_THROWS_WITH(world.run(), Catch::Contains("did you mean 'w"));
  world.options.workloads.clear();
  world.options.variants = {"10_tiel"};
  CHECK_THROWS_WITH(world.run(), Catch::Contains("did you mean '10_tile'"));
}
