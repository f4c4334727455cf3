#include "harness/campaign/confirmation.h"

#include <catch2/catch.hpp>

#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

struct ConfirmingWorld : FlyingWorld {
  /// w1 has got 5 times as fast, by N=4 after N=2; w2 twice.
  Confirmation& with_winners() {
    CampaignState& state = context().state;
    for (const char* workload : {"w1", "w2"}) state.apply(passed(1, 0, 1000, workload));
    state.apply(passed(2, 2, 400, "w1"));
    state.apply(passed(3, 4, 200, "w1"));
    state.apply(passed(4, 2, 500, "w2"));
    return desk();
  }
  Confirmation& desk() {
    if (!desk_)
      desk_.emplace(context(), cards(), flights(), [this](Decision decision) { return record(std::move(decision)); });
    return *desk_;
  }

 private:
  std::optional<Confirmation> desk_;
};

}  // namespace

TEST_CASE("the workload that gained most is confirmed first, each in a decision of its own") {
  ConfirmingWorld world;
  CHECK_FALSE(world.with_winners().confirm_winners());
  CHECK(world.landed == std::vector<std::string>{"confirm w1 N=4", "confirm w2 N=2"});
  CHECK(world.book("w1").is_confirmed());
  CHECK(world.book("w2").is_confirmed());
  REQUIRE(world.decisions.size() == 2);
  CHECK(world.decisions[0].action == Action::confirm);
  CHECK(world.decisions[0].arm == ArmId{"k", "w1", "tile"});
}

TEST_CASE("a winner that fails when it is timed again gives way to the next fastest") {
  ConfirmingWorld world;
  world.evaluator.answer = [](const EvaluationRequest& request) -> Outcome {
    if (to_text(request.realized.candidate.config) == "N=4") return WrongAnswer{};
    return FakeEvaluator::honest(request);
  };
  CHECK_FALSE(world.with_winners().confirm_winners());
  CHECK(world.landed == std::vector<std::string>{"confirm w1 N=4", "confirm w1 N=2", "confirm w2 N=2"});
  CHECK(world.book("w1").standings.back().candidate.config.at("N") == Value(std::int64_t{2}));
}

TEST_CASE("no confirmation begins that would not fit, by what it took last") {
  ConfirmingWorld world;
  world.options.budget_s = 100;
  Confirmation& desk = world.with_winners();
  desk.ended("k", 60);
  world.clock.now += 50;
  CHECK_FALSE(desk.confirm_winners());
  CHECK(world.landed.empty());
}

TEST_CASE("a user who stops the campaign stops its confirmations") {
  ConfirmingWorld world;
  Confirmation& desk = world.with_winners();
  world.stop = true;
  const Ended ended = desk.confirm_winners();
  REQUIRE(ended);
  CHECK(ended->reason == EndReason::interrupted);
  CHECK(world.landed.empty());
}

TEST_CASE("time is kept for each winner, and without a budget none is needed") {
  ConfirmingWorld world;
  world.options.budget_s = 1000;
  Confirmation& desk = world.with_winners();
  desk.ended("k", 60);
  CHECK(desk.reserve_s() == Approx(120));
  ConfirmingWorld nothing_yet;
  nothing_yet.options.budget_s = 1000;
  CHECK(nothing_yet.desk().reserve_s() <= 300);  // winners that there may be get a share
}
