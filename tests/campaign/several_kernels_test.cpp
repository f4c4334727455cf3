#include <catch2/catch.hpp>

#include "tests/campaign/world.h"

// One campaign over several kernels: what each of them gets, and what becomes of one that cannot take part.
using namespace harness;
using namespace harness::fakes;

namespace {

struct TwoKernels : World {
  TwoKernels() {
    catalog.add("m");
    options.kernels = {"k", "m"};
  }
  std::int64_t iterations_of(const std::string& kernel) const {
    return std::ranges::count_if(ledger.rows, [&](const auto& row) { return row.candidate.kernel == kernel; });
  }
};

}  // namespace

TEST_CASE("the summary says what each kernel got, and the parts add up") {
  TwoKernels world;
  world.evaluator.admission_s = 3;
  const CampaignSummary summary = world.run();
  REQUIRE(summary.kernels.size() == 2);
  double seconds = 0;
  for (const KernelShare& each : summary.kernels) {
    CHECK(each.iterations == world.iterations_of(each.kernel));
    CHECK(each.iterations > 0);
    CHECK(each.left_out.empty());
    CHECK(*each.score == Approx(10.0));
    seconds += each.seconds;
  }
  CHECK(summary.kernels[0].iterations + summary.kernels[1].iterations == summary.iterations);
  CHECK(seconds == Approx(summary.spent_s));
}

TEST_CASE("of two kernels the one whose gates let a wrong answer pass is left out, and the other goes on") {
  TwoKernels world;
  world.evaluator.refuses = {"the mutant 'zeros' passes"};
  world.evaluator.refused_kernel = "m";
  const CampaignSummary summary = world.run();
  CHECK(summary.reason == EndReason::exhausted);
  CHECK(world.iterations_of("m") == 0);
  CHECK(world.iterations_of("k") > 0);
  CHECK_THAT(summary.kernels[1].left_out, Catch::Contains("'m' is refused") && Catch::Contains("zeros"));
  CHECK_FALSE(summary.kernels[1].score);

  SECTION("where all of them are refused, the campaign is") {
    world.evaluator.refused_kernel.clear();
    world.ledger.admissions.clear();
    CHECK(world.run().reason == EndReason::script_error);
  }
}

TEST_CASE("a kernel whose gates would be tried after much of the budget is spent is left out") {
  TwoKernels world;
  world.evaluator.admission_s = 50;
  world.options.budget_s = 100;
  const CampaignSummary summary = world.run();
  CHECK(world.evaluator.admissions == 1);
  CHECK(world.iterations_of("k") > 0);
  CHECK(world.iterations_of("m") == 0);
  CHECK_THAT(summary.kernels[1].left_out, Catch::Contains("no time is left"));
}

TEST_CASE("a campaign begins with the kernels whose gates are known") {
  TwoKernels world;
  world.options.budget_s = 100;
  world.evaluator.admission_s = 41;
  Admission& known = world.ledger.admissions["admission-m"];
  known.kernel = "m";
  known.passed = true;
  const CampaignSummary summary = world.run();
  REQUIRE(summary.kernels.size() == 2);
  CHECK(summary.kernels[0].kernel == "m");
  CHECK(summary.kernels[0].iterations > 0);
  CHECK(summary.kernels[1].kernel == "k");
}
