#include "harness/campaign/state.h"

#include <catch2/catch.hpp>

#include "harness/campaign/calibration.h"
#include "harness/campaign/launch_shape.h"
#include "harness/campaign/loop.h"
#include "harness/campaign/moment.h"
#include "tests/fakes/ports.h"

using namespace harness;
using namespace harness::fakes;

namespace {

/// A campaign of the fakes' kernel, its memory alone.
struct Memory {
  FakeCatalog catalog;
  FakeScripts scripts;
  DeviceInfo device;
  CampaignOptions options;
  CampaignState state;

  Memory() : state(arms(), 3) {}
  Arms arms() {
    options.kernels = {"k"};
    device.device = "cuda:0";
    return make_arms(catalog, scripts, options, device);
  }
  IterationSummary told(std::int64_t n, OutcomeKind outcome, double speedup = 0, double spread = 0.01) {
    IterationSummary iteration;
    iteration.iteration = ++count;
    iteration.candidate = {"k", "10_tile", "tile", {{"N", n}}};
    iteration.workload = "w1";
    iteration.outcome = outcome;
    iteration.purpose = Purpose::search;
    iteration.ask = n;
    iteration.wall_s = 2;
    iteration.build_s = 1;
    if (!is_timed(outcome)) return iteration;
    iteration.time_ns = 1000 / speedup;
    iteration.speedup = speedup;
    iteration.speedup_lo = speedup * (1 - spread);
    iteration.speedup_hi = speedup * (1 + spread);
    return iteration;
  }
  std::int64_t count = 0;
};

const ArmState& tile(const Snapshot& snapshot) {
  for (const ArmState& arm : snapshot.arms)
    if (arm.id == ArmId{"k", "w1", "tile"}) return arm;
  throw std::runtime_error("no such arm");
}

ScoredPrediction scored(double lo, double hi, double speedup, double minutes = 1) {
  ScoredPrediction prediction;
  prediction.predict.speedup_lo = lo;
  prediction.predict.speedup_hi = hi;
  prediction.predict.minutes_lo = 0.5;
  prediction.predict.minutes_hi = 2;
  prediction.predict.probability = 0.8;
  prediction.outcome = OutcomeKind::passed;
  prediction.speedup = speedup;
  prediction.wall_s = 60 * minutes;
  return prediction;
}

}  // namespace

TEST_CASE("variants whose instructions are emulated become arms on the cpu device only by name") {
  FakeCatalog catalog;
  FakeScripts scripts;
  catalog.info.variants.at(1).requirements = {{"arch", ">=80"}};
  const std::string name = catalog.info.variants.at(1).name;
  CampaignOptions options;
  options.kernels = {"k"};
  DeviceInfo gpu, cpu;
  gpu.device = "cuda:0";
  cpu.device = "cpu";
  cpu.emulation = true;
  const std::size_t all = make_arms(catalog, scripts, options, gpu).arms.size();
  const Arms arms = make_arms(catalog, scripts, options, cpu);
  CHECK(arms.arms.size() < all);
  REQUIRE(arms.notes.size() == 1);
  CHECK(arms.notes[0].find("k " + name + " is left out: ") == 0);
  options.variants = {name};
  CHECK(make_arms(catalog, scripts, options, cpu).notes.empty());
}

TEST_CASE("an arm's records are its bests, and credible where their intervals are apart") {
  Memory memory;
  memory.state.apply(memory.told(1, OutcomeKind::passed, 2));
  memory.state.apply(memory.told(2, OutcomeKind::passed, 1.5));
  memory.state.apply(memory.told(3, OutcomeKind::passed, 2.01));
  memory.state.apply(memory.told(4, OutcomeKind::passed, 3));
  const ArmState arm = tile(memory.state.snapshot({}));
  REQUIRE(arm.records.size() == 3);
  CHECK(arm.records[1].evaluation == 3);
  CHECK_FALSE(arm.records[1].credible);
  CHECK(arm.records[2].credible);
  CHECK(arm.records[2].spent_s == 8);
  CHECK(*arm.best_speedup == 3);
  CHECK(arm.build_s == 4);
  CHECK(*arm.log_gain_mean == Approx((std::log(2) + std::log(1.5) + std::log(2.01) + std::log(3)) / 4));
  CHECK(*arm.log_evaluation_mean == Approx(std::log(2)));
  CHECK(*arm.log_evaluation_sd == Approx(0).margin(1e-12));
}

TEST_CASE("what was abandoned teaches how slow its arm is, and that it passes the gates") {
  Memory memory;
  IterationSummary baseline = memory.told(0, OutcomeKind::passed, 1);
  baseline.candidate = {"k", "00_base", "base", {}};
  baseline.purpose = Purpose::baseline;
  memory.state.apply(baseline);
  memory.state.apply(memory.told(1, OutcomeKind::passed, 2));
  IterationSummary slow = memory.told(2, OutcomeKind::abandoned);
  slow.stopped_ns = 4000;  // the baseline took 1000
  memory.state.apply(slow);
  const Snapshot after = memory.state.snapshot({});
  const ArmState arm = tile(after);
  CHECK(arm.timed == 2);
  REQUIRE(arm.gains.size() == 2);
  CHECK(arm.gains[1] == Approx(0.25));
  CHECK(*arm.best_speedup == 2);
  CHECK(arm.since_improvement == 1);
  for (const TechniqueState& technique : after.techniques)
    if (technique.technique == "tile") CHECK(technique.passed == 2);
}

TEST_CASE("what was screened is a time to strategies, and no standing of its workload") {
  Memory memory;
  memory.state.apply(memory.told(1, OutcomeKind::passed, 2));
  memory.state.apply(memory.told(2, OutcomeKind::screened, 4));
  const Snapshot after = memory.state.snapshot({});
  const ArmState arm = tile(after);
  CHECK(arm.timed == 2);
  CHECK(*arm.best_speedup == 4);
  REQUIRE(memory.state.best().size() > 0);
  CHECK(*memory.state.best()[0].state.speedup == 2);
  for (const TechniqueState& technique : after.techniques)
    if (technique.technique == "tile") CHECK(technique.passed == 2);
}

TEST_CASE("what is unknown is absent, never 0") {
  Memory memory;
  const Snapshot before = memory.state.snapshot({});
  CHECK_FALSE(before.build_s);
  CHECK_FALSE(before.score);
  CHECK_FALSE(before.sitting);
  CHECK_FALSE(tile(before).spent_usd);
  CHECK_FALSE(tile(before).log_gain_mean);
  CHECK_FALSE(tile(before).launch);
  CHECK(*tile(memory.state.snapshot(3600.0)).predicted_usd == Approx(24));  // 8 evaluations of 3 s at a dollar a second
  memory.state.apply(memory.told(1, OutcomeKind::passed, 2));
  CHECK(*tile(memory.state.snapshot(3600.0)).spent_usd == Approx(2));
}

TEST_CASE("a snapshot's size does not grow with the history") {
  Memory memory;
  for (int i = 1; i <= 3000; ++i) {
    IterationSummary iteration = memory.told(i, OutcomeKind::passed, 1 + 0.001 * i);
    iteration.ask = 0;  // nobody asked: the search has eight points
    memory.state.apply(iteration);
  }
  const Snapshot snapshot = memory.state.snapshot({});
  CHECK(tile(snapshot).records.size() == 32);
  CHECK(tile(snapshot).gains.size() == 16);
  CHECK(tile(snapshot).evaluations == 3000);
}

TEST_CASE("a sitting is what one arm has had since it was taken up, against the first prediction") {
  Memory memory;
  Prediction first, later;
  first.evaluations = 5;
  first.minutes_lo = first.minutes_hi = 0.1;
  later.evaluations = 50;
  memory.state.apply(memory.told(1, OutcomeKind::passed, 2), &first);
  memory.state.apply(memory.told(2, OutcomeKind::passed, 3), &later);
  memory.state.apply(memory.told(3, OutcomeKind::wrong_answer), &later);
  Snapshot snapshot = memory.state.snapshot({});
  REQUIRE(snapshot.sitting);
  CHECK(snapshot.sitting->evaluations == 3);
  CHECK(snapshot.sitting->passed == 2);
  CHECK(snapshot.sitting->spent_s == 6);
  CHECK(snapshot.sitting->improvements == 2);
  CHECK(*snapshot.sitting->predicted_s == Approx(30));
  IterationSummary elsewhere = memory.told(1, OutcomeKind::passed, 2);
  elsewhere.workload = "w2";
  memory.state.apply(elsewhere, &later);
  snapshot = memory.state.snapshot({});
  CHECK(snapshot.sitting->evaluations == 1);
  CHECK(tile(snapshot).sittings == 1);
}

TEST_CASE("the seconds since something passed are those of evaluations") {
  Memory memory;
  memory.state.apply(memory.told(1, OutcomeKind::wrong_answer));
  memory.state.apply(memory.told(2, OutcomeKind::crashed));
  CHECK(memory.state.snapshot({}).since_passed_s == 4);
  memory.state.apply(memory.told(3, OutcomeKind::passed, 2));
  CHECK(memory.state.snapshot({}).since_passed_s == 0);
}

TEST_CASE("what a technique brought elsewhere comes in the order of how alike the workloads are") {
  Memory memory;
  Experience experience;
  experience.arms = {{{"k", "w2", "tile"}, 1, 12, 3, 99.0, 4.5}};
  for (const char* workload : {"w1", "w2", "far", "unknown", "a", "b", "c"})
    experience.elsewhere.push_back({{"k", workload, "tile"}, 1, 12, 3, 99.0, 2.5});
  experience.elsewhere.push_back({{"k", "a", "another technique"}, 1, 12, 3, 99.0, 2.5});
  experience.elsewhere.push_back({{"k", "nothing passed", "tile"}, 1, 12, 0, 99.0, std::nullopt});
  memory.state.distance = [](const auto&, const std::string& from, const std::string& to) -> std::optional<double> {
    if (to == "unknown") return std::nullopt;
    return from == to ? 0 : to == "far" ? 9 : 1;
  };
  memory.state.add_experience(experience);
  const auto of = [&](const char* workload) {
    std::vector<std::string> names;
    for (const ArmState& arm : memory.state.snapshot({}).arms)
      if (arm.id == ArmId{"k", workload, "tile"})
        for (const GainElsewhere& each : arm.elsewhere) names.push_back(each.workload);
    return names;
  };
  CHECK(of("w1") == std::vector<std::string>{"w1", "w2", "a", "b"});  // its own: under another contract, or device
  CHECK(of("w2") == std::vector<std::string>{"w1", "a", "b", "c"});   // its own is told as the arm's
}

TEST_CASE("a technique's spending adds up over workloads and earlier campaigns") {
  Memory memory;
  Experience experience;
  experience.techniques = {{"k", "tile", 3, 40, 0, 600.0, 1.5, std::nullopt}};
  memory.state.add_experience(experience);
  memory.state.apply(memory.told(1, OutcomeKind::wrong_answer));
  const Snapshot snapshot = memory.state.snapshot(3600.0);
  const auto found = std::find_if(snapshot.techniques.begin(), snapshot.techniques.end(),
                                  [](const TechniqueState& t) { return t.technique == "tile"; });
  REQUIRE(found != snapshot.techniques.end());
  CHECK(found->campaigns == 4);
  CHECK(found->evaluations == 41);
  CHECK(found->earlier_evaluations == 40);
  CHECK(found->passed == 0);
  CHECK(found->spent_s == 602);
  CHECK(*found->spent_usd == Approx(3.5));
  CHECK(*found->predicted_s == Approx(2 * 8 * 2));  // two workloads, 8 evaluations, 2 s each
}

TEST_CASE("ranges that miss too often are widened until one in ten misses") {
  CalibrationBook book;
  std::uint64_t random = 1;
  int missed = 0;
  for (int i = 0; i < 4000; ++i) {  // truth: ln(speedup) uniform over +-1; the ranges claim +-0.3
    random = random * 6364136223846793005u + 1442695040888963407u;
    const double y = 2 * static_cast<double>(random >> 11) / 9007199254740992.0 - 1;
    const double half = 0.3 * book.now().speedup_widen;
    if (i >= 1000 && std::abs(y) > half) ++missed;
    book.score(scored(std::exp(-half), std::exp(half), std::exp(y)));
  }
  CHECK(missed / 3000.0 == Approx(0.1).margin(0.03));
  CHECK(book.now().speedup_widen == Approx(3).margin(0.8));
  CHECK(book.now().speedup_n == 4000);
  CHECK(book.now().passed_seen == Approx(1));
}

TEST_CASE("minutes are scaled by what they turn out to be") {
  CalibrationBook book;
  for (int i = 0; i < 200; ++i) {
    ScoredPrediction prediction = scored(1, 2, 1.5, 3);
    *prediction.predict.minutes_lo *= book.now().minutes_scale;
    *prediction.predict.minutes_hi *= book.now().minutes_scale;
    book.score(prediction);
  }
  CHECK(book.now().minutes_scale == Approx(3).epsilon(0.05));
  CHECK(book.now().minutes_held > 150);
  ScoredPrediction interrupted = scored(1, 2, 1.5);
  interrupted.outcome = OutcomeKind::interrupted;
  book.score(interrupted);
  CHECK(book.now().speedup_n == 200);
}

TEST_CASE("the hour is that of the recorded zone") {
  const Moment monday = moment_at(1763953200, "UTC", 0);  // 2025-11-24 03:00 UTC
  CHECK(monday.weekday == 1);
  CHECK(monday.hour == 3);
  const Moment sunday = moment_at(1763953200, "PST", -8 * 3600);
  CHECK(sunday.weekday == 7);
  CHECK(sunday.hour == 19);
  CHECK(moment_at(-1, "UTC", 0).weekday == 3);  // 1969-12-31 was a Wednesday
  CHECK(moment_at(-1, "UTC", 0).minute == 59);
}

TEST_CASE("a plan's shape is that of its widest launch") {
  Plan plan;
  CHECK_FALSE(launch_shape(plan));
  Launch partial, reduce;
  partial.grid = {8, 4, 2};
  partial.block = {128, 1, 1};
  partial.shared = 4096;
  reduce.grid = {8, 4, 1};
  plan.steps = {partial, reduce, Memset{}};
  CHECK(launch_shape(plan)->kernels == 2);
  CHECK(launch_shape(plan)->ctas == 64);
  CHECK(launch_shape(plan)->threads_per_cta == 128);
  CHECK(launch_shape(plan)->shared_bytes == 4096);
  std::get<Launch>(plan.steps[1]).block.x = 0;  // a block of no threads would be divided by
  CHECK_FALSE(launch_shape(plan));
}

TEST_CASE("a dry run decides as if predictions came true, and evaluates nothing") {
  FakeClock clock;
  FakeCatalog catalog;
  FakeScripts scripts;
  FakeEvaluator evaluator{clock};
  FakeLedger ledger;
  FakeDisplay display;
  CampaignOptions options;
  options.kernels = {"k"};
  scripts.decide = [](const Snapshot& snapshot) {
    Decision decision = FakeScripts::first_open(snapshot);
    decision.predict = {2, 2, 4, 0.9, 0.1, 0.1};
    return decision;
  };
  Campaign campaign({catalog, scripts, evaluator, ledger, display, clock, nullptr, json::object()}, options, {});
  const DryRun plan = campaign.dry_run(5);
  CHECK(plan.decisions.size() == 5);
  CHECK(evaluator.requests.empty());
  CHECK(ledger.campaigns.empty());
  CHECK(ledger.decision_records.empty());
  options.budget_s = 20;  // 6 s an evaluation
  Campaign brief({catalog, scripts, evaluator, ledger, display, clock, nullptr, json::object()}, options, {});
  CHECK(brief.dry_run(50).decisions.size() < 5);
}

TEST_CASE("one configuration for all workloads is the best where it counts together") {
  FakeClock clock;
  FakeCatalog catalog;
  FakeScripts scripts;
  FakeEvaluator evaluator{clock};
  FakeLedger ledger;
  FakeDisplay display;
  CampaignOptions options;
  options.kernels = {"k"};
  const auto n_of = [](const EvaluationRequest& request) {
    return std::get<std::int64_t>(request.realized.candidate.config.at("N"));
  };
  // N = 8 is the fastest on w1 and fails on w2; N = 2 the fastest on w2; N = 5 is good on both.
  evaluator.answer = [&](const EvaluationRequest& request) -> Outcome {
    if (request.realized.candidate.variant == "00_base") return FakeEvaluator::passed(1000, request);
    const bool first = request.realized.problem.workload.name == "w1";
    const std::int64_t n = n_of(request);
    if (n == 8) return first ? FakeEvaluator::passed(50, request) : Outcome{WrongAnswer{"no", {}, "f"}};
    if (n == 5) return FakeEvaluator::passed(200, request);
    if (n == 2 && !first) return FakeEvaluator::passed(150, request);
    return FakeEvaluator::passed(800, request);
  };
  for (const char* objective : {"each", "single"}) {
    options.objective = objective;
    Campaign campaign({catalog, scripts, evaluator, ledger, display, clock, nullptr, json::object()}, options, {});
    const CampaignSummary summary = campaign.run();
    REQUIRE(summary.best.size() == 2);
    const bool single = options.objective == "single";
    CHECK(to_text(summary.best[0].config) == (single ? "N=5" : "N=8"));
    CHECK(to_text(summary.best[1].config) == (single ? "N=5" : "N=2"));
    CHECK(*summary.score == Approx(single ? 5.0 : std::sqrt(20.0 * 1000 / 150)));
    CHECK(summary.best[0].state.confirmed);
    CHECK(summary.best[1].state.confirmed);
  }
}

TEST_CASE("an arm counts how many evaluations in a row repeated machine code") {
  Memory memory;
  memory.state.apply(memory.told(1, OutcomeKind::passed, 1.5));
  memory.state.apply(memory.told(2, OutcomeKind::no_effect));
  memory.state.apply(memory.told(3, OutcomeKind::no_effect));
  CHECK(tile(memory.state.snapshot({})).same_code == 2);
  memory.state.apply(memory.told(4, OutcomeKind::passed, 1.6));
  CHECK(tile(memory.state.snapshot({})).same_code == 0);
}
