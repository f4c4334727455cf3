#include <catch2/catch.hpp>

#include "harness/campaign/admissions.h"
#include "harness/campaign/predictions.h"
#include "harness/campaign/preparations.h"
#include "harness/campaign/profiles.h"
#include "harness/campaign/requests.h"
#include "harness/campaign/seen_variants.h"
#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

double nothing_kept() {
  return 0;
}

}  // namespace

TEST_CASE("of several kernels, one whose gates fail is left out and says why") {
  DeskWorld world;
  world.catalog.add("other");
  world.options.kernels = {"k", "other"};
  world.evaluator.refuses = {"a mutant passes"};
  world.evaluator.refused_kernel = "other";
  world.evaluator.admission_s = 2;
  Admissions admissions(world.context());
  CHECK_FALSE(admissions.admit_kernels());
  CHECK(admissions.of("k") != nullptr);
  CHECK(admissions.of("other") == nullptr);
  CHECK(admissions.left_out("k").empty());
  CHECK_THAT(admissions.left_out("other"), Catch::Contains("a mutant passes"));
  CHECK(admissions.seconds("k") == Approx(2));
  CHECK(world.ledger.charged["gates"] == Approx(4));
}

TEST_CASE("the gates of another kernel are not tried in the time that the first one's left for the search") {
  DeskWorld world;
  world.catalog.add("other");
  world.options.kernels = {"k", "other"};
  world.options.budget_s = 100;
  world.evaluator.admission_s = 41;
  CampaignContext& context = world.context();
  Admissions admissions(context);
  CHECK_FALSE(admissions.admit_kernels());
  CHECK(admissions.of("k") != nullptr);
  CHECK(world.evaluator.admissions == 1);
  CHECK(admissions.left_out("other") == "no time is left to try its gates");
  CHECK(find_arm(context.state.arms(), {"other", "w1", "tile"})->state.closed);
  CHECK_FALSE(find_arm(context.state.arms(), {"k", "w1", "tile"})->state.closed);
  REQUIRE(world.display.pivots.size() == 1);  // once for all its arms
  CHECK(world.display.pivots.front().why == "other is left out: no time is left to try its gates");
}

TEST_CASE("where every kernel's gates fail there is nothing to search") {
  DeskWorld world;
  world.evaluator.refuses = {"a mutant passes"};
  Admissions admissions(world.context());
  CHECK_THROWS_WITH(admissions.admit_kernels(), Catch::Contains("a mutant passes"));
}

TEST_CASE("what a device reaches is measured on first sight of it, and then looked up") {
  DeskWorld world;
  Admissions admissions(world.context());
  for (int i = 0; i < 2; ++i) admissions.measure_device();
  CHECK(world.evaluator.peaks_measured == 1);
  CHECK(world.evaluator.used_peaks.bytes_per_s == 4e12);
}

TEST_CASE("a search's candidate is timed beside the best and may be given up, a winner beside the baseline and not") {
  DeskWorld world;
  CampaignContext& context = world.context();
  Admissions admissions(context);
  Proposals proposals(context, nothing_kept);
  Requests requests(context, admissions, proposals);
  context.state.apply(DeskWorld::passed(1, 0, 1000));
  context.state.apply(DeskWorld::passed(2, 4, 200));
  const EvaluationRequest search = requests.of(world.assignment(8));
  REQUIRE(search.incumbent);
  CHECK(search.incumbent->realized.candidate.variant == "10_tile");
  CHECK(search.abandon_factor > 1);
  CHECK(search.screen);
  CHECK(search.recorded_with);
  const EvaluationRequest winner = requests.of(world.assignment(4, "w1", Purpose::confirm));
  REQUIRE(winner.incumbent);
  CHECK(winner.incumbent->realized.candidate.variant == "00_base");
  CHECK(winner.abandon_factor == 0);
  CHECK(winner.confirm);
}

TEST_CASE("a baseline of a campaign with a budget may be told by a few launches") {
  DeskWorld world;
  world.options.budget_s = 200;
  CampaignContext& context = world.context();
  Admissions admissions(context);
  Proposals proposals(context, nothing_kept);
  Requests requests(context, admissions, proposals);
  CHECK(requests.of(world.assignment(0, "w1", Purpose::baseline)).brief_s == Approx(10));
  Assignment complete = world.assignment(0, "w1", Purpose::baseline);
  complete.all_gates = true;
  CHECK(requests.of(complete).brief_s == 0);
}

TEST_CASE("only a rival may leave other bits from launch to launch") {
  DeskWorld world;
  CampaignContext& context = world.context();
  Admissions admissions(context);
  Proposals proposals(context, nothing_kept);
  Requests requests(context, admissions, proposals);
  CHECK(requests.of(world.assignment(0, "w1", Purpose::rival)).may_differ);
  CHECK_FALSE(requests.of(world.assignment(0, "w1", Purpose::search)).may_differ);
  CHECK_FALSE(requests.of(world.assignment(0, "w1", Purpose::baseline)).may_differ);
}

TEST_CASE("hints are compiled once, and the other arms' next asks with them") {
  DeskWorld world;
  CampaignContext& context = world.context();
  const Predictions predictions(context);
  Preparations preparations(context, predictions);
  for (const char* workload : {"w1", "w2"}) context.state.apply(DeskWorld::passed(1, 0, 1000, workload));
  Arm& arm = *find_arm(context.state.arms(), {"k", "w1", "tile"});
  arm.asked.push_back({});  // it is the one that is evaluated
  SearchAsk ask;
  ask.hints = {{"10_tile", {{"N", std::int64_t{3}}}}, {"10_tile", {{"N", std::int64_t{4}}}}};
  preparations.follow(arm, ask);
  const std::size_t first = world.evaluator.prepared;
  CHECK(first >= 2);
  preparations.follow(arm, ask);
  CHECK(world.evaluator.prepared == first);
}

TEST_CASE("a profile is made of what matters, and not twice of the same code") {
  DeskWorld world;
  world.profiles = true;
  CampaignContext& context = world.context();
  Profiles profiles(context, nothing_kept);
  const IterationSummary best = DeskWorld::passed(2, 4, 200);
  profiles.consider(world.assignment(4), best, false);
  CHECK(context.state.find_profile("w1", best.candidate) == nullptr);
  profiles.consider(world.assignment(4), best, true);
  CHECK(context.state.find_profile("w1", best.candidate) != nullptr);
  const double spent = world.ledger.charged["profile"];
  profiles.consider(world.assignment(4), best, true);
  CHECK(world.ledger.charged["profile"] == spent);
}

TEST_CASE("a winner is not profiled in the time that another winner's confirmation needs") {
  DeskWorld world;
  world.profiles = true;
  world.options.budget_s = 10;
  CampaignContext& context = world.context();
  double kept = 9;
  Profiles profiles(context, [&kept] { return kept; });
  const IterationSummary winner = DeskWorld::passed(2, 4, 200);
  profiles.consider(world.assignment(4, "w1", Purpose::confirm), winner, false);
  CHECK(context.state.find_profile("w1", winner.candidate) == nullptr);
  kept = 0;
  profiles.consider(world.assignment(4, "w1", Purpose::confirm), winner, false);
  CHECK(context.state.find_profile("w1", winner.candidate) != nullptr);
}

TEST_CASE("of a variant its fastest evaluation is known, else how it last ended") {
  SeenVariants seen;
  IterationSummary wrong = DeskWorld::passed(1, 2, 0);
  wrong.outcome = OutcomeKind::wrong_answer;
  wrong.time_ns.reset();
  seen.note(wrong, "off by one\nand more");
  REQUIRE(seen.find("k", "w1", "10_tile") != nullptr);
  CHECK(seen.find("k", "w1", "10_tile")->message == "off by one");
  seen.note(DeskWorld::passed(2, 4, 200), "");
  seen.note(DeskWorld::passed(3, 2, 400), "");
  seen.note(DeskWorld::passed(4, 0, 1000), "");
  CHECK(seen.find("k", "w1", "10_tile")->iteration == 2);
  CHECK(seen.find("k", "w2", "10_tile") == nullptr);
  REQUIRE(seen.in_order().size() == 2);
  CHECK(seen.in_order()[1]->candidate.variant == "00_base");
}
