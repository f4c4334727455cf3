#include "harness/campaign/arm_trials.h"

#include <catch2/catch.hpp>

#include "harness/campaign/predictions.h"
#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

struct TryingWorld : FlyingWorld {
  ArmTrials& desk() {
    if (!desk_) {
      predictions_.emplace(context());
      preparations_.emplace(context(), *predictions_);
      const auto limits = [this] { return landed.size() < most ? Ended() : Ended(Ending{EndReason::budget, "spent"}); };
      baselines_.emplace(context(), flights(), *preparations_, limits, [] { return 0.0; });
      desk_.emplace(context(), flights(), *baselines_, *preparations_, limits);
    }
    return *desk_;
  }
  Arm& tile(const std::string& workload = "w1") { return *find_arm(context().state.arms(), {"k", workload, "tile"}); }
  Ended try_tile() { return flights().finish(desk().try_arm({}, {"k", "w1", "tile"})); }
  std::size_t most = 100;  // evaluations, before the campaign is over

 private:
  std::optional<Predictions> predictions_;
  std::optional<Preparations> preparations_;
  std::optional<Baselines> baselines_;
  std::optional<ArmTrials> desk_;
};

}  // namespace

TEST_CASE("an arm's asks are evaluated one by one, and its search is told of each") {
  TryingWorld world;
  for (int i = 0; i < 3; ++i) CHECK_FALSE(world.try_tile());
  CHECK(world.landed == std::vector<std::string>{"search w1 N=1", "search w1 N=2", "search w1 N=3"});
  CHECK(world.scripts.told.size() == 3);
  CHECK(world.tile().asked.empty());
  std::vector<std::int64_t> numbers;
  for (const AttemptRecord& attempt : world.ledger.attempts) numbers.push_back(attempt.ask);
  CHECK(numbers == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("an arm whose search has nothing left to ask is exhausted, and nothing is evaluated") {
  TryingWorld world;
  for (int i = 0; i < 8; ++i) CHECK_FALSE(world.try_tile());
  CHECK_FALSE(world.tile().state.exhausted);
  CHECK_FALSE(world.try_tile());
  CHECK(world.tile().state.exhausted);
  CHECK(world.landed.size() == 8);
}

TEST_CASE("what was asked before an interruption is evaluated first, in the decision that it belongs to") {
  TryingWorld world;
  Decision decision;
  decision.why = "before the power went";
  const std::int64_t id = world.ledger.record_decision(1, decision, std::nullopt, {}, 0, 0);
  Asked asked;
  asked.ask = {"10_tile", {{"N", std::int64_t{5}}}, {}};
  asked.number = 4;
  asked.decision = id;
  CHECK_FALSE(world.desk().has_unanswered());
  world.desk().ask_again({"k", "w1", "tile"}, asked);
  REQUIRE(world.desk().has_unanswered());
  CHECK_FALSE(world.flights().finish(world.desk().try_unanswered()));
  CHECK_FALSE(world.desk().has_unanswered());
  REQUIRE(world.ledger.attempts.size() == 1);
  CHECK(world.landed.front() == "search w1 N=5");
  CHECK(world.ledger.attempts.front().ask == 4);
  CHECK(world.ledger.attempts.front().decision == id);
}

TEST_CASE(
    "where one configuration for all is wanted, what passed is taken to the other workloads, behind their baseline") {
  TryingWorld world;
  world.context().state.seek_single();
  world.context().state.apply(DeskWorld::passed(1, 0, 1000, "w1"));
  CHECK_FALSE(world.try_tile());
  CHECK(world.landed == std::vector<std::string>{"search w1 N=1", "baseline w2 ", "search w2 N=1"});
}

TEST_CASE("a configuration that has failed is not taken to other workloads") {
  TryingWorld world;
  world.evaluator.answer = [](const EvaluationRequest&) -> Outcome { return WrongAnswer{}; };
  world.context().state.seek_single();
  CHECK_FALSE(world.try_tile());
  CHECK(world.landed == std::vector<std::string>{"search w1 N=1"});
}

TEST_CASE("the campaign's end comes before another workload is begun") {
  TryingWorld world;
  world.most = 1;
  world.context().state.seek_single();
  world.context().state.apply(DeskWorld::passed(1, 0, 1000, "w1"));
  const Ended ended = world.try_tile();
  REQUIRE(ended);
  CHECK(ended->reason == EndReason::budget);
  CHECK(world.landed == std::vector<std::string>{"search w1 N=1"});
}
