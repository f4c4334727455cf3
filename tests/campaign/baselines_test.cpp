#include "harness/campaign/baselines.h"

#include <catch2/catch.hpp>

#include "harness/campaign/predictions.h"
#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

/// With a library that the tile variants are compared with.
struct ComparingWorld : FlyingWorld {
  ComparingWorld() {
    VariantInfo library;
    library.name = "80_library";
    library.technique = "library";
    library.rival = true;
    catalog.info.variants.push_back(library);
    evaluator.answer = [](const EvaluationRequest& request) {
      return request.realized.candidate.variant == "80_library" ? FakeEvaluator::passed(300, request)
                                                                : FakeEvaluator::honest(request);
    };
  }
  Baselines& desk() {
    if (!desk_) {
      predictions_.emplace(context());
      preparations_.emplace(context(), *predictions_);
      desk_.emplace(
          context(), flights(), *preparations_, [this] { return limit; }, [this] { return reserve_s; });
    }
    return *desk_;
  }
  Ended limit;
  double reserve_s = 0;

 private:
  std::optional<Predictions> predictions_;
  std::optional<Preparations> preparations_;
  std::optional<Baselines> desk_;
};

}  // namespace

TEST_CASE("a workload's baseline is measured once, before anything else of it") {
  ComparingWorld world;
  for (int i = 0; i < 2; ++i) CHECK_FALSE(world.flights().finish(world.desk().begin_workload(world.book("w1"), {})));
  CHECK(world.landed == std::vector<std::string>{"baseline w1 "});
  CHECK(world.book("w1").baseline_ns == 1000);
  CHECK_FALSE(world.book("w2").baseline_tried);
}

TEST_CASE("where the campaign is over by its limits, the baseline is the last that is measured") {
  ComparingWorld world;
  world.limit = Ending{EndReason::budget, "spent"};
  const Ended ended = world.flights().finish(world.desk().begin_workload(world.book("w1"), {}));
  REQUIRE(ended);
  CHECK(ended->reason == EndReason::budget);
  CHECK(world.landed.size() == 1);
}

TEST_CASE("a rival waits until the baseline and two of ours were tried") {
  ComparingWorld world;
  for (const std::int64_t n : {0, 1}) world.context().state.apply(DeskWorld::passed(n + 1, n, 1000));
  world.flights().finish(world.desk().follow_with_rival(world.book("w1"), {}));
  CHECK(world.landed.empty());
  world.context().state.apply(DeskWorld::passed(3, 2, 500));
  world.flights().finish(world.desk().follow_with_rival(world.book("w1"), {}));
  CHECK(world.landed == std::vector<std::string>{"rival w1 N=1"});
}

TEST_CASE("where time is short, every workload is begun before one is compared with a library") {
  ComparingWorld world;
  for (const std::int64_t n : {0, 1, 2}) world.context().state.apply(DeskWorld::passed(n + 1, n, 1000 - 100 * n));
  const double evaluation_s = world.context().state.passed_seconds();
  const auto begin = [&](double evaluations) {
    world.options.budget_s = world.context().limits.spent_s() + evaluations * evaluation_s;
    world.flights().finish(world.desk().follow_with_rival(world.book("w1"), {}));
  };
  begin(2.9);  // the other workload needs three
  CHECK(world.landed.empty());
  begin(5);
  CHECK(world.landed == std::vector<std::string>{"rival w1 N=1"});
}

TEST_CASE("what is kept for the winners is not spent on rivals") {
  ComparingWorld world;
  world.options.budget_s = 100;
  world.reserve_s = 100;
  world.book("w1").baseline_tried = true;
  const Ending end{EndReason::exhausted, "nothing is left"};
  CHECK(world.flights().finish(world.desk().measure_missing_rivals(end, {}))->reason == EndReason::exhausted);
  CHECK(world.landed.empty());
  world.reserve_s = 0;
  world.flights().finish(world.desk().measure_missing_rivals(end, {}));
  CHECK(world.landed.size() == 8);  // every configuration of the one workload that was begun
  CHECK(world.landed.back() == "rival w1 N=8");
}
