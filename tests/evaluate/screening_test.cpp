#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "harness/evaluate/run.h"
#include "tests/evaluate/shop.h"

// Which gates a search's candidate meets, on the cpu device. What is timed beside it has a thousand times more or less
// to do, so that the verdict is no matter of noise.
using namespace harness;

namespace {

constexpr const char* kSmall = "m8n64_f32";
constexpr const char* kLarge = "m256n8192_f32";
constexpr const char* kOdd = "m33n257_f32";

struct Screening : tests::Shop {
  Screening() : Shop("/tests/hostile") {
    for (const char* form : {"nominal", "few spikes"})
      for (const char* output : {"sum", "largest"})
        admission.tolerances.push_back({"dtype=f32", form, output, 0, 0, 1e-3, "declared"});
    admission.passed = true;
  }
  Realized realize(const std::string& variant, const std::string& workload) {
    return Shop::realize("rowstats", variant, workload);
  }
  /// `variant` on `workload` beside the honest one on `incumbent`, as a search asks for it.
  EvaluationRequest request(const std::string& variant, const std::string& workload, const std::string& incumbent) {
    EvaluationRequest request;
    request.realized = realize(variant, workload);
    request.incumbent = Incumbent{realize("00_honest", incumbent), 1e6, {}};
    request.admission = &admission;
    request.screen = true;
    request.other_points = [this, variant] {
      ++asked_for_points;
      return OtherPoints{{realize(variant, kOdd), realize(variant, kOdd)}, {}};
    };
    return request;
  }
  Evaluation evaluate(const EvaluationRequest& request) {
    std::optional<FailedLaunch> failed;
    return run_gates(request, {}, workers, failed);
  }
  /// Tried ten times: on a busy machine one stray sample of six hides what the others say, and no verdict is right.
  Evaluation evaluate(const EvaluationRequest& request, OutcomeKind expected) {
    for (int tried = 1;; ++tried) {
      asked_for_points = 0;
      Evaluation evaluation = evaluate(request);
      if (tried == 10 || kind_of(evaluation.outcome) == expected) return evaluation;
    }
  }

  int asked_for_points = 0;
  Admission admission;
};

bool has_gate(const Evaluation& evaluation, const std::string& start) {
  return std::ranges::any_of(evaluation.gates, [&](const GateResult& gate) { return gate.name.starts_with(start); });
}

const GateResult& gate(const Evaluation& evaluation, const std::string& name) {
  const auto found = std::ranges::find(evaluation.gates, name, &GateResult::name);
  REQUIRE(found != evaluation.gates.end());
  return *found;
}

constexpr const char* kBehind[] = {"preflight", "form:", "shape", "sizes", "timed-launch", "plausibility"};

}  // namespace

TEST_CASE("a slower candidate ends screened, and what only a best needs is not even prepared") {
  Screening shop;
  const Evaluation evaluation = shop.evaluate(shop.request("00_honest", kLarge, kSmall), OutcomeKind::screened);
  REQUIRE(kind_of(evaluation.outcome) == OutcomeKind::screened);
  CHECK(timing_of(evaluation.outcome)->verdict == Comparison::slower);
  CHECK(timing_of(evaluation.outcome)->time_ns > 0);
  CHECK(shop.asked_for_points == 0);
  for (const char* name : kBehind) CHECK_FALSE(has_gate(evaluation, name));
  for (const char* name : {"guard-zones", "written", "determinism"}) CHECK(gate(evaluation, name).passed);
  CHECK_FALSE(gate(evaluation, "screened").checked);  // what was not needed is never read as passed
}

TEST_CASE("an abandoned candidate tells what it was spared") {
  // On a busy machine a screening may see nothing, and the candidate is abandoned when all is timed.
  for (int attempt = 0; attempt < 5; ++attempt) {
    Screening shop;
    shop.workers.limits.screen.until_verdict = false;  // as on a GPU: the cpu device ends earlier, with a time
    EvaluationRequest request = shop.request("00_honest", kLarge, kSmall);
    request.abandon_factor = 2;
    const Evaluation evaluation = shop.evaluate(request, OutcomeKind::abandoned);
    REQUIRE(kind_of(evaluation.outcome) == OutcomeKind::abandoned);
    if (!has_gate(evaluation, "screened")) continue;
    CHECK_FALSE(gate(evaluation, "screened").checked);
    CHECK(shop.asked_for_points == 0);
    return;
  }
  FAIL("never abandoned by a screening");
}

TEST_CASE("a faster candidate meets every gate") {
  Screening shop;
  const Evaluation evaluation = shop.evaluate(shop.request("00_honest", kSmall, kLarge), OutcomeKind::passed);
  REQUIRE(kind_of(evaluation.outcome) == OutcomeKind::passed);
  CHECK(shop.asked_for_points == 1);
  for (const char* name : {"form:", "shape", "sizes", "timed-launch", "plausibility"})
    CHECK(has_gate(evaluation, name));
  CHECK_FALSE(has_gate(evaluation, "screened"));
}

TEST_CASE("an incumbent far behind is not launched again: its recorded time is the verdict") {
  Screening shop;
  EvaluationRequest request = shop.request("00_honest", kSmall, kSmall);
  request.incumbent->time_ns = 1e12;
  request.baseline_ns = 2e12;
  const Evaluation evaluation = shop.evaluate(request, OutcomeKind::passed);
  REQUIRE(kind_of(evaluation.outcome) == OutcomeKind::passed);
  const Timing& timing = *timing_of(evaluation.outcome);
  CHECK(timing.verdict == Comparison::faster);
  CHECK(timing.incumbent_ns == 1e12);
  CHECK(timing.speedup == Approx(2e12 / timing.time_ns));
  CHECK_THAT(timing.samples.method, Catch::Contains("not beside the incumbent"));
}

TEST_CASE("a confirmation launches a baseline of milliseconds again, whatever its record says") {
  Screening shop;
  EvaluationRequest request = shop.request("00_honest", kSmall, kSmall);
  request.confirm = true;
  request.screen = false;
  request.incumbent->speedup = 1.0;
  // As if somebody had loaded the device meanwhile: it takes what the candidate takes.
  request.incumbent->time_ns = 9.9e6;
  request.baseline_ns = 9.9e6;
  const Evaluation evaluation = shop.evaluate(request, OutcomeKind::passed);
  REQUIRE(kind_of(evaluation.outcome) == OutcomeKind::passed);
  const Timing& timing = *timing_of(evaluation.outcome);
  CHECK(timing.verdict == Comparison::same);
  CHECK(timing.incumbent_ns != 9.9e6);
  CHECK(*timing.speedup < 3);
  CHECK_THAT(timing.samples.method, !Catch::Contains("not beside the incumbent"));
}

TEST_CASE("a slow baseline is told by a launch or a few that were right, and is nobody's best by them") {
  Screening shop;
  EvaluationRequest request = shop.request("00_honest", kLarge, kSmall);
  request.incumbent.reset();
  request.screen = false;
  SECTION("slow") {
    request.brief_s = 1e-9;
    const Evaluation evaluation = shop.evaluate(request);
    REQUIRE(kind_of(evaluation.outcome) == OutcomeKind::screened);
    const Timing& timing = *timing_of(evaluation.outcome);
    CHECK(timing.samples.rotating_ns.size() == 1);
    CHECK(timing.time_lo_ns <= timing.time_ns);
    CHECK(evaluation.seeds.size() == 1);
    CHECK(shop.asked_for_points == 0);
    for (const char* name : kBehind) CHECK_FALSE(has_gate(evaluation, name));
    for (const char* name : {"guard-zones", "written"}) CHECK(gate(evaluation, name).passed);
    CHECK_FALSE(has_gate(evaluation, "determinism"));
    CHECK_FALSE(gate(evaluation, "screened").checked);
    CHECK_THAT(gate(evaluation, "screened").detail, Catch::Contains("determinism"));
  }
  SECTION("slow, and there is time for more than one") {
    request.brief_s = 1e-9;
    const double launch_ns = timing_of(shop.evaluate(request).outcome)->time_ns;
    request.brief_s = 5e-9 * launch_ns;
    const Evaluation evaluation = shop.evaluate(request);
    const std::vector<double>& taken = timing_of(evaluation.outcome)->samples.rotating_ns;
    if (kind_of(evaluation.outcome) == OutcomeKind::passed)
      CHECK(taken.size() > 3);  // half as long as before: not slow
    else CHECK(taken.size() == std::clamp<std::size_t>(static_cast<std::size_t>(5 * launch_ns / taken[0]), 1, 3));
    CHECK(has_gate(evaluation, "determinism") == (taken.size() > 1));
    CHECK(evaluation.seeds.size() ==
          (taken.size() > 3 ? evaluation.seeds.size() : 1));  // all on the judged one's inputs
  }
  SECTION("not slow") {
    request.brief_s = 1e6;
    const Evaluation evaluation = shop.evaluate(request);
    CHECK(kind_of(evaluation.outcome) == OutcomeKind::passed);
    CHECK(shop.asked_for_points == 1);
    CHECK_FALSE(has_gate(evaluation, "screened"));
  }
  SECTION("slow and wrong") {
    request = shop.request("01_unwritten", kLarge, kSmall);
    request.incumbent.reset();
    request.brief_s = 1e-9;
    CHECK(kind_of(shop.evaluate(request).outcome) == OutcomeKind::wrong_answer);
  }
}

TEST_CASE("a fast one that is right at the timed size alone is caught behind screening") {
  Screening shop;
  const Evaluation evaluation =
      shop.evaluate(shop.request("09_whole_tiles", kSmall, kLarge), OutcomeKind::wrong_answer);
  CHECK(kind_of(evaluation.outcome) == OutcomeKind::wrong_answer);
  CHECK(gate(evaluation, "determinism").passed);
  CHECK((has_gate(evaluation, "form:") || has_gate(evaluation, "shape")));
}

TEST_CASE("a wrong answer ends at the timed size, whatever its time") {
  Screening shop;
  const Evaluation evaluation = shop.evaluate(shop.request("01_unwritten", kLarge, kSmall));
  CHECK(kind_of(evaluation.outcome) == OutcomeKind::wrong_answer);
  CHECK_FALSE(has_gate(evaluation, "screened"));
}

TEST_CASE("nothing is screened without an incumbent, and nothing that is to be confirmed") {
  Screening shop;
  EvaluationRequest request = shop.request("00_honest", kSmall, kSmall);
  SECTION("without an incumbent") {
    request.incumbent.reset();
  }
  SECTION("confirmed") {
    request.confirm = true;
    request.incumbent = Incumbent{shop.realize("00_honest", kSmall), 1e6, {}};
  }
  const Evaluation evaluation = shop.evaluate(request);
  CHECK(kind_of(evaluation.outcome) == OutcomeKind::passed);
  CHECK(shop.asked_for_points == 1);
}

TEST_CASE("a source that another configuration has spoilt is refused before it is compiled") {
  Screening shop;
  EvaluationRequest request = shop.request("00_honest", kSmall, kLarge);
  request.failed_before = FailedBefore{"timed-launch", 12};
  const Evaluation evaluation = shop.evaluate(request);
  const auto* rejected = std::get_if<Rejected>(&evaluation.outcome);
  REQUIRE(rejected != nullptr);
  CHECK(rejected->gate == "timed-launch");
  CHECK_THAT(rejected->message, Catch::Contains("iteration 12"));
  CHECK_FALSE(has_gate(evaluation, "compile"));
}

TEST_CASE("waiting for the device is a cost of its own, and none of the timing's") {
  Screening shop;
  const tests::Scratch scratch;
  const std::string folder = scratch.path("locks");
  DeviceLock ours("cpu", "cpu", folder), others("cpu", "cpu", folder);
  shop.workers.lock = &ours;
  shop.evaluate(shop.request("00_honest", kLarge, kSmall));  // what is built once is built
  std::optional<DeviceLock::Hold> held = others.acquire();
  REQUIRE(held);
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::seconds(2));
    held.reset();
  });
  const Evaluation evaluation = shop.evaluate(shop.request("00_honest", kLarge, kSmall));
  const StageCosts& cost = evaluation.cost;
  CHECK(cost.idle_s > 0.3);
  CHECK(cost.timing_s >= 0);
  CHECK(cost.idle_s + cost.timing_s + cost.gates_s + cost.build_s <= cost.wall_s + 0.01);
}
