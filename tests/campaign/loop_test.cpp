#include "harness/campaign/loop.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "tests/campaign/world.h"

using namespace harness;
using namespace harness::fakes;

TEST_CASE("a campaign measures each baseline once, tries every point and confirms the winners") {
  World world;
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(count(world.ledger, Purpose::baseline) == 2);
  CHECK(count(world.ledger, Purpose::search) ==
        16);  // 8 points on each of two workloads; the baseline's own point is not measured twice
  CHECK(count(world.ledger, Purpose::confirm) == 2);
  REQUIRE(summary.best.size() == 2);
  CHECK(summary.best[0].state.best_variant == "10_tile");
  CHECK(*summary.best[0].state.speedup == Approx(10.0));
  CHECK(summary.best[0].state.confirmed);
  CHECK(*summary.score == Approx(10.0));
  CHECK(world.ledger.ended == EndReason::exhausted);
}

TEST_CASE("only what a search asked for may be abandoned, and not where it wants exact times") {
  for (const bool exact : {false, true}) {
    World world;
    world.scripts.exact_times = exact;
    int searched = 0;
    world.evaluator.answer = [&](const EvaluationRequest& request) -> Outcome {
      const bool baseline = request.realized.candidate.variant == "00_base";
      if (baseline || request.confirm || exact) CHECK(request.abandon_factor == 0);
      else CHECK(request.abandon_factor == 2);
      searched += !baseline && !request.confirm ? 1 : 0;
      return FakeEvaluator::honest(request);
    };
    world.run();
    CHECK(searched > 2);
  }
}

TEST_CASE("an abandoned candidate is no incumbent and the campaign goes on") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.abandon_factor > 0 && request.realized.candidate.variant != "00_base") return Abandoned{2000, 5000};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(summary.best[0].state.best_variant == "00_base");
  CHECK(std::count_if(world.ledger.rows.begin(), world.ledger.rows.end(),
                      [](const auto& row) { return row.outcome == OutcomeKind::abandoned; }) > 2);
}

TEST_CASE("work that would not fit beside the confirmation is not begun") {
  World world;
  world.options.budget_s = 8;
  world.ledger.usual.evaluations[{"k", Purpose::confirm}] = 1;
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::budget);
  CHECK(summary.spent_s <= 8 + 1e-9);
  CHECK(world.evaluator.confirms >= 1);
}

namespace {

/// Confirmations take `confirm_s`, all else half a second; searches take turns on the workloads.
void make_confirmations_long(World& world, double confirm_s) {
  world.ledger.usual.evaluations[{"k", Purpose::confirm}] = confirm_s;
  world.evaluator.costs = [confirm_s](const EvaluationRequest& request) { return request.confirm ? confirm_s : 0.5; };
  world.scripts.decide = [](const Snapshot& snapshot) {
    const ArmState* fewest = nullptr;
    for (const ArmState& arm : snapshot.arms)
      if (!arm.exhausted && (fewest == nullptr || arm.evaluations < fewest->evaluations)) fewest = &arm;
    return fewest != nullptr ? FakeScripts::try_arm(*fewest) : FakeScripts::first_open(snapshot);
  };
}

}  // namespace

TEST_CASE("the reserve pays for the confirmation of every winner, within the budget") {
  for (const double budget_s : {36.0, 40.0, 60.0}) {
    World world;
    world.options.budget_s = budget_s;
    make_confirmations_long(world, 16);
    const CampaignSummary summary = world.run();
    INFO("a budget of " << budget_s << " s, of which " << summary.spent_s << " were spent");
    CHECK(summary.best[0].state.confirmed);
    CHECK(summary.best[1].state.confirmed);
    CHECK(summary.spent_s <= budget_s + 1e-9);
  }
}

TEST_CASE("a confirmation of unknown length is tried in what a long evaluation has left of its time") {
  World world;
  world.clock.tick = 1e-6;
  world.options.budget_s = 20;
  make_confirmations_long(world, 2);
  world.ledger.usual = {};
  world.evaluator.costs = [&](const EvaluationRequest& request) {
    const bool is_late = world.clock.now > 1012;
    return request.confirm ? 2 : is_late ? 4 : 0.5;
  };
  const CampaignSummary summary = world.run();
  CHECK(world.evaluator.confirms >= 1);
  CHECK(summary.best[0].state.confirmed);
}

TEST_CASE("evaluations that take longer than expected do not eat a confirmation of unknown length") {
  World world;
  world.clock.tick = 1e-6;
  world.options.budget_s = 16;
  make_confirmations_long(world, 9);
  world.ledger.usual = {};
  world.evaluator.costs = [&](const EvaluationRequest& request) {
    const bool is_long = world.clock.now > 1009.5;
    return request.confirm ? 9 : is_long ? 2.9 : 1;
  };
  const CampaignSummary summary = world.run();
  CHECK(world.evaluator.confirms >= 1);
  CHECK(summary.best[0].state.confirmed);
}

TEST_CASE("time that is too short for any confirmation goes to the search") {
  World world;
  world.options.budget_s = 6;
  make_confirmations_long(world, 16);
  const CampaignSummary summary = world.run();
  CHECK(world.evaluator.confirms == 0);
  CHECK(summary.spent_s <= 6 + 1e-9);
  CHECK(summary.spent_s > 5);
  CHECK(count(world.ledger, Purpose::search) >= 9);
}

TEST_CASE("rivals that are left wait for the winners' confirmations") {
  World world;
  VariantInfo other;
  other.name = "90_other";
  other.technique = "library";
  other.rival = true;
  world.catalog.info.variants.push_back(other);
  world.options.budget_s = 46;
  make_confirmations_long(world, 16);
  world.evaluator.costs = [](const EvaluationRequest& request) {
    return request.confirm ? 16 : request.realized.candidate.variant == "90_other" ? 3 : 0.25;
  };
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "90_other") return FakeEvaluator::passed(10, request);
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.best[0].state.confirmed);
  CHECK(summary.best[1].state.confirmed);
  CHECK(summary.spent_s <= 46 + 1e-9);
}

TEST_CASE("what a slow baseline takes is not expected of what a search asks for") {
  World world;
  world.evaluator.costs = [](const EvaluationRequest& request) {
    return request.realized.candidate.variant == "00_base" && !request.confirm ? 30 : 0.1;
  };
  world.options.budget_s = 80;  // two baselines, and 20 s: less than another such evaluation would take
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(count(world.ledger, Purpose::search) > 10);
}

TEST_CASE("the money limit ends a campaign as the time limit does") {
  World world;
  world.options.usd_per_hour = 3600;  // a dollar a second
  world.options.max_cost_usd = 6;
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::cost);
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
  CHECK(summary.reason == EndReason::goal);
  CHECK(count(world.ledger, Purpose::search) == 4);  // 800 and 400 ns on each
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

TEST_CASE("a first winner that fails its confirmation gives way to a slower one that was tried after it") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    const Candidate& candidate = request.realized.candidate;
    if (candidate.variant != "10_tile") return FakeEvaluator::honest(request);
    const auto n = std::get<std::int64_t>(candidate.config.at("N"));
    if (request.confirm && n == 1) return WrongAnswer{"race", {}, "rows"};
    return FakeEvaluator::passed(100 + 10 * static_cast<double>(n), request);  // each slower than the one before
  };
  const CampaignSummary summary = world.run();
  CHECK(to_text(summary.best[0].config) == "N=2");
  CHECK(summary.best[0].state.confirmed);
}

TEST_CASE("failed experiments are recorded and the campaign goes on") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "10_tile") return Crashed{CrashKind::trap, "trap: in block 3"};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(summary.outcomes.at("crashed") == 16);
  CHECK(summary.best[0].state.best_variant == "00_base");
}

TEST_CASE("compilers begin before the gates are tried, but where they would share the cores of an emulated device") {
  World world;
  SECTION("a GPU: the baseline of each workload and each arm's first ask") {
    world.run();
    CHECK(world.evaluator.prepared_before_gates == 1 + 2 + world.display.start.arms);
  }
  SECTION("an emulated device") {
    world.evaluator.emulation = true;
    world.run();
    CHECK(world.evaluator.prepared_before_gates == 0);
    CHECK(world.evaluator.prepared > 0);
  }
}

TEST_CASE("choosing another arm is announced as a pivot with its reason") {
  World world;
  world.run();
  REQUIRE_FALSE(world.display.pivots.empty());
  CHECK_FALSE(world.display.pivots[0].closed);
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
  CHECK(summary.reason == EndReason::script_error);
  CHECK(summary.message.find("bad.lua:7") != std::string::npos);
  CHECK(world.ledger.rows.size() == 3);
  CHECK(world.ledger.ended == EndReason::script_error);
}

TEST_CASE("a strategy that chooses an exhausted or unknown arm is told so") {
  World world;
  world.scripts.decide = [](const Snapshot& snapshot) {
    Decision decision = FakeScripts::try_arm(snapshot.arms[0]);
    decision.arm.technique = "nonsense";
    return decision;
  };
  CHECK(world.run().reason == EndReason::script_error);
}

TEST_CASE("a store that fails ends the campaign as store_error") {
  World world;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    if (snapshot.iterations == 2) world.ledger.full = true;
    return FakeScripts::first_open(snapshot);
  };
  CHECK(world.run().reason == EndReason::store_error);
}

TEST_CASE("a lost device ends the campaign and no candidate is blamed for it") {
  World world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "10_tile") return Crashed{CrashKind::device_lost, "no such GPU"};
    return FakeEvaluator::honest(request);
  };
  CHECK(world.run().reason == EndReason::device_lost);
  CHECK(world.ledger.rows.back().outcome == OutcomeKind::passed);       // the baseline's
  CHECK(world.ledger.attempts.size() == world.ledger.rows.size() + 1);  // an orphan, tried again on resume
}

TEST_CASE("an interrupted campaign resumes where it was and measures nothing twice") {
  World world;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    if (snapshot.iterations == 6) world.stop = true;
    return FakeScripts::first_open(snapshot);
  };
  CHECK(world.run().reason == EndReason::interrupted);
  const std::size_t before = world.ledger.rows.size();
  world.stop = false;
  world.scripts.decide = FakeScripts::first_open;
  const CampaignSummary summary = world.run(1);
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(before < world.ledger.rows.size());
  CHECK(count(world.ledger, Purpose::baseline) == 2);
  CHECK(count(world.ledger, Purpose::search) == 16);
  CHECK(*summary.score == Approx(10.0));
}

TEST_CASE("a resume is refused when the search now asks for something else") {
  World world;
  world.options.budget_s = 8;
  world.run();
  for (IterationSummary& row : world.ledger.rows)
    if (row.purpose == Purpose::search) row.candidate.config["N"] = std::int64_t{5};
  world.options.budget_s.reset();
  CHECK_THROWS_WITH(world.run(1), Catch::Contains("cannot be resumed"));
}

TEST_CASE("an attempt after which the machine went down twice is crashed; that the harness was killed says nothing") {
  const bool machine = GENERATE(true, false);
  World world;
  AttemptRecord record;
  record.candidate = {"k", "10_tile", "tile", {{"N", std::int64_t{1}}}};
  record.workload = "w1";
  record.ask = 1;
  record.purpose = Purpose::search;
  world.ledger.campaigns.emplace_back();
  world.ledger.orphaned = {{1, record, 50, machine ? 2 : 1}};
  world.run(1);
  const auto row = std::find_if(world.ledger.rows.begin(), world.ledger.rows.end(), [](const auto& r) {
    return r.workload == "w1" && r.purpose == Purpose::search && r.ask == 1;
  });
  REQUIRE(row != world.ledger.rows.end());
  CHECK(row->outcome == (machine ? OutcomeKind::crashed : OutcomeKind::passed));
}

TEST_CASE("evidence of earlier campaigns reaches the strategy") {
  World world;
  world.ledger.earlier.arms = {{{"k", "w1", "tile"}, 1, 12, 3, 99.0, 4.5}};
  bool seen = false;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    for (const ArmState& arm : snapshot.arms)
      if (arm.id == ArmId{"k", "w1", "tile"}) seen = arm.earlier_evaluations == 12 && *arm.earlier_best_speedup == 4.5;
    return FakeScripts::first_open(snapshot);
  };
  world.run();
  CHECK(seen);
}

TEST_CASE("what comes before the first choice is told before it is spent") {
  World world;
  world.ledger.usual.evaluations[{"k", Purpose::baseline}] = 3;
  world.ledger.usual.trials["k"] = 15;
  world.run();
  const std::vector<Foreseen>& ahead = world.display.start.ahead;
  const auto of = [&](const std::string& what) {
    return std::find_if(ahead.begin(), ahead.end(), [&](const Foreseen& each) { return each.what == what; });
  };
  REQUIRE(of("2 baselines of k") != ahead.end());
  CHECK(of("2 baselines of k")->seconds == 6);
  const auto trial = of("trying the gates of k with its mutants, once for this contract");
  REQUIRE(trial != ahead.end());
  CHECK(trial->seconds == 15);
  world.run(1);
  CHECK(world.display.start.ahead.empty());  // one that is resumed goes on where it was
}

TEST_CASE("a search is told how far the workloads of earlier results lie from its own") {
  World world;
  world.ledger.earlier_of_others = {{"w2", "gpu", "10_tile", {}, OutcomeKind::passed, 50.0, {}},
                                    {"gone", "gpu", "10_tile", {}, OutcomeKind::passed, 50.0, {}}};
  world.run();
  REQUIRE(world.scripts.known.contains("w1"));
  const std::vector<EarlierResult>& told = world.scripts.known.at("w1");
  REQUIRE(told.size() == 2);
  CHECK(told[0].distance);
  CHECK_FALSE(told[1].distance);
}

TEST_CASE("a search is told what is left of the budget, the same when it is resumed") {
  World world;
  world.options.budget_s = 1000;
  world.run();
  REQUIRE(world.scripts.told.size() > 2);
  for (const SearchResult& result : world.scripts.told) REQUIRE(result.left_s);
  CHECK(*world.scripts.told.back().left_s < *world.scripts.told.front().left_s);
  CHECK(*world.scripts.told.front().left_s < 1000);
  const auto all_told = [&] {
    std::multiset<double> left;
    for (const SearchResult& result : world.scripts.told) left.insert(result.left_s.value_or(-1));
    return left;
  };
  const std::multiset<double> before = all_told();
  world.scripts.told.clear();
  world.options.budget_s = 5000;
  world.run(1);
  CHECK(all_told() == before);
}

TEST_CASE("without a budget a search is told of none") {
  World world;
  world.options.budget_s.reset();
  world.run();
  REQUIRE(!world.scripts.told.empty());
  CHECK_FALSE(world.scripts.told.front().left_s);
}

TEST_CASE("an unknown workload or variant names the nearest one") {
  World world;
  world.options.workloads = {"w3"};
  CHECK_THROWS_WITH(world.run(), Catch::Contains("did you mean 'w"));
  world.options.workloads.clear();
  world.options.variants = {"10_tiel"};
  CHECK_THROWS_WITH(world.run(), Catch::Contains("did you mean '10_tile'"));
}

TEST_CASE("a calendar that jumps changes neither the budget nor the choices") {
  const auto spent_with = [](std::int64_t jump) {
    World world;
    world.options.budget_s = 12;
    world.scripts.decide = [&, decide = world.scripts.decide](const Snapshot& snapshot) {
      if (snapshot.iterations == 3) world.clock.jumped = jump;
      return decide(snapshot);
    };
    const CampaignSummary summary = world.run();
    CHECK(summary.reason == EndReason::budget);
    return std::pair{summary.spent_s, summary.iterations};
  };
  const auto steady = spent_with(0);
  CHECK(spent_with(-7200) == steady);
  CHECK(spent_with(86400 * 365) == steady);
}

namespace {

/// World with a rival 80_other of N = 1..8, of which the library offers three; they take 90, 60 and 70 ns.
struct RivalWorld : World {
  RivalWorld() {
    VariantInfo other;
    other.name = "80_other";
    other.technique = "other";
    other.rival = true;
    catalog.info.variants.push_back(other);
    evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
      if (request.realized.candidate.variant != "80_other") return FakeEvaluator::honest(request);
      CHECK_FALSE(request.incumbent.has_value());
      CHECK(request.abandon_factor == 0);
      CHECK_FALSE(request.other_points);  // a library is judged at the timed size alone
      const auto n = std::get<std::int64_t>(request.realized.candidate.config.at("N"));
      if (n > 3) return Unsupported{"it offers 3"};
      const double times[] = {90, 60, 70};
      return FakeEvaluator::passed(times[n - 1], request);
    };
  }
};

}  // namespace

TEST_CASE("rivals follow the first of ours, until they have no more, and are never arms or winners") {
  RivalWorld world;
  int arms_of_rivals = 0;
  std::optional<double> seen;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    for (const ArmState& arm : snapshot.arms) {
      arms_of_rivals += arm.id.technique == "other" ? 1 : 0;
      if (arm.evaluations > 0 && arm.id.workload == "w1") seen = arm.rival_ns;
    }
    return FakeScripts::first_open(snapshot);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(arms_of_rivals == 0);
  CHECK(seen.has_value());                          // while there is something of ours to try
  CHECK(count(world.ledger, Purpose::rival) == 8);  // on each workload three and the first that is not there
  REQUIRE(world.ledger.rows.size() > 5);
  CHECK(world.ledger.rows[0].purpose == Purpose::baseline);
  for (std::size_t i = 1; i <= 2; ++i) CHECK(world.ledger.rows[i].purpose == Purpose::search);
  CHECK(world.ledger.rows[3].purpose == Purpose::rival);
  const auto fastest = std::ranges::find_if(world.ledger.rows, [](const auto& row) {
    return row.purpose == Purpose::rival && to_text(row.candidate.config) == "N=2";
  });
  REQUIRE(fastest != world.ledger.rows.end());
  CHECK(fastest->speedup == Approx(1000.0 / 60));
  for (const BestRow& row : summary.best) {
    CHECK(row.state.best_variant == "10_tile");  // 100 ns: slower than the rival, and still ours
    CHECK(row.state.rival_variant == "80_other");
    CHECK(row.state.rival_ns == 60.0);
    CHECK(to_text(row.rival_config) == "N=2");
  }
  CHECK(count(world.ledger, Purpose::confirm) == 2);
}

TEST_CASE("beyond the first of a workload, rivals take a tenth of the time while there is something of ours to try") {
  RivalWorld world;
  double each = 0;
  world.evaluator.costs = [&](const EvaluationRequest& request) {
    return request.realized.candidate.variant == "80_other" ? each : 1.0;
  };
  const auto among_ours = [&] {
    const auto& rows = world.ledger.rows;
    const auto last = std::ranges::find_if(rows.rbegin(), rows.rend(), [](const auto& row) { return row.ask > 0; });
    return std::count_if(last, rows.rend(), [](const auto& row) { return row.purpose == Purpose::rival; });
  };
  SECTION("dear ones") {
    each = 4;
    world.run();
    CHECK(among_ours() == 2);
  }
  SECTION("cheap ones") {
    each = 0.01;
    world.run();
    CHECK(among_ours() >= 6);  // the last of ours may be followed by two more
  }
  CHECK(count(world.ledger, Purpose::rival) == 8);  // nothing of ours is left, and there is time
}

TEST_CASE("a rival that is not there costs one evaluation a workload and ends nothing") {
  RivalWorld world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "80_other") return Unsupported{"the library was not found"};
    return FakeEvaluator::honest(request);
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(count(world.ledger, Purpose::rival) == 2);
  CHECK_FALSE(summary.best[0].state.rival_ns.has_value());
  CHECK(*summary.score == Approx(10.0));
}

TEST_CASE("a campaign interrupted among its rivals resumes with the next one") {
  RivalWorld world;
  const auto answer = world.evaluator.answer;
  int rivals = 0;
  world.evaluator.answer = [&](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "80_other" && ++rivals == 2) return Interrupted{};
    return answer(request);
  };
  CHECK(world.run().reason == EndReason::interrupted);
  CHECK(world.run(1).reason == EndReason::exhausted);
  std::map<std::string, int> tried;
  for (const auto& row : world.ledger.rows)
    if (row.purpose == Purpose::rival && row.outcome != OutcomeKind::interrupted)
      ++tried[row.workload + " " + to_text(row.candidate.config)];
  CHECK(tried.size() == 8);
  for (const auto& [configuration, times] : tried) CHECK(times == 1);
}

TEST_CASE("what a decision asks to remember is given to those that follow, also after a resume") {
  World world;
  std::vector<json> seen;
  world.scripts.decide = [&](const Snapshot& snapshot) {
    seen.push_back(snapshot.memory);
    Decision decision = FakeScripts::first_open(snapshot);
    if (seen.size() == 1) decision.memory = {{"first", decision.arm.technique}};
    return decision;
  };
  world.run();
  REQUIRE(seen.size() > 2);
  CHECK(seen[0] == json::object());
  CHECK(seen[1] == json{{"first", "base"}});
  CHECK(seen.back() == seen[1]);
  world.options = world.ledger.campaigns.back().options.get<CampaignOptions>();
  seen.assign(1, json());
  world.run(1);
  CHECK(seen.back() == json{{"first", "base"}});
}

TEST_CASE("a memory that is not small ends the campaign with a sentence") {
  World world;
  world.scripts.decide = [](const Snapshot& snapshot) {
    Decision decision = FakeScripts::first_open(snapshot);
    decision.memory = {{"all", std::string(5000, 'x')}};
    return decision;
  };
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::script_error);
  CHECK_THAT(summary.message, Catch::Contains("bytes as JSON"));
}

TEST_CASE("a workload that gets no turn is not tried, and counts as 1 in the score") {
  World world;
  world.scripts.decide = [](const Snapshot& snapshot) {
    for (const ArmState& arm : snapshot.arms)
      if (arm.id.workload == "w1" && !arm.exhausted && !arm.closed) return FakeScripts::try_arm(arm);
    Decision stop;
    stop.action = Action::stop;
    stop.reason = EndReason::strategy;
    return stop;
  };
  const CampaignSummary summary = world.run();
  REQUIRE(summary.best.size() == 2);
  CHECK(summary.best[0].tried);
  CHECK_FALSE(summary.best[1].tried);
  CHECK(*summary.score == Approx(std::sqrt(10.0)));
  const auto options = world.ledger.campaigns.front().options.get<CampaignOptions>();
  CHECK(options.planned.size() == 2);
}

TEST_CASE("a campaign whose asker proves the winners himself keeps no time for them and confirms none") {
  World world;
  world.options.confirms = false;
  const CampaignSummary summary = world.run();
  CHECK(count(world.ledger, Purpose::search) > 0);
  CHECK(count(world.ledger, Purpose::confirm) == 0);
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(json(world.options).get<CampaignOptions>().confirms == false);
}
