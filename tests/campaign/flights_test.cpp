#include "harness/campaign/flights.h"

#include <catch2/catch.hpp>

#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

struct FlightsWorld : DeskWorld {
  explicit FlightsWorld(std::size_t devices) : several(clock, devices), cards(context_of_fleet()) {
    scripts.several = true;
  }
  CampaignContext& context_of_fleet() {
    fleet = &several;
    return context();
  }
  Flights::Calls calls() {
    return {[this](const Assignment& work) {
              EvaluationRequest request;
              request.realized = work.realized;
              return request;
            },
            [](AttemptRecord&) {},
            [this](std::int64_t, Flight& flight, const DecisionRecord&) -> Ended {
              landed.push_back(to_text(flight.attempt.candidate.config) + " on " + flight.attempt.node);
              outcomes.push_back(kind_of(flight.evaluation->outcome));
              return ends_with;
            }};
  }
  FakeFleet several;
  Cards cards;
  std::vector<std::string> landed;
  std::vector<OutcomeKind> outcomes;
  Ended ends_with;
};

}  // namespace

TEST_CASE("evaluations wait for a device in their order, and end in theirs") {
  FlightsWorld world(2);
  world.several.costs = [](std::size_t, const EvaluationRequest& request) {
    return std::get<std::int64_t>(request.realized.candidate.config.at("N")) == 1 ? 5.0 : 1.0;
  };
  Flights flights(world.context(), world.cards, world.calls());
  for (const std::int64_t n : {1, 2, 3}) CHECK_FALSE(flights.start(flights.evaluate(world.assignment(n), {})));
  CHECK_FALSE(flights.has_room());
  CHECK(world.several.begun.size() == 2);
  while (flights.has_tasks()) CHECK_FALSE(flights.finish_next());
  CHECK(world.landed == std::vector<std::string>{"N=2 on n2", "N=3 on n2", "N=1 on n1"});
  CHECK(flights.has_room());
}

TEST_CASE("what was lost with its node is tried once more, on another device") {
  FlightsWorld world(2);
  world.several.answer = [](std::size_t device, const EvaluationRequest& request) -> Outcome {
    if (device == 0) return Lost{"n1", "gone"};
    return FakeEvaluator::honest(request);
  };
  Flights flights(world.context(), world.cards, world.calls());
  CHECK_FALSE(flights.finish(flights.evaluate(world.assignment(2), {})));
  CHECK(world.landed == std::vector<std::string>{"N=2 on n1", "N=2 on n2"});
  CHECK(world.outcomes == std::vector<OutcomeKind>{OutcomeKind::lost, OutcomeKind::passed});
}

TEST_CASE("the second node that is lost with a candidate closes it as crashed, also after a resume") {
  FlightsWorld world(2);
  world.several.answer = [](std::size_t, const EvaluationRequest&) -> Outcome { return Lost{"n", "gone"}; };
  Flights flights(world.context(), world.cards, world.calls());
  IterationSummary before = DeskWorld::passed(1, 2, 100);
  flights.remember_lost(before);
  CHECK_FALSE(flights.finish(flights.evaluate(world.assignment(2), {})));
  CHECK(world.outcomes == std::vector<OutcomeKind>{OutcomeKind::crashed});
}

TEST_CASE("an ending that comes while others are under way lets them end, and the worst of them counts") {
  FlightsWorld world(2);
  Flights flights(world.context(), world.cards, world.calls());
  CHECK_FALSE(flights.start(flights.evaluate(world.assignment(1), {})));
  CHECK_FALSE(flights.start(flights.evaluate(world.assignment(2), {})));
  world.ends_with = Ending{EndReason::device_lost, "it fell"};
  CHECK(flights.drain({EndReason::budget, "spent"})->reason == EndReason::device_lost);
  CHECK(world.landed.size() == 2);
}

TEST_CASE("what took the machine down twice is not tried again") {
  FlightsWorld world(1);
  Flights flights(world.context(), world.cards, world.calls());
  Orphan orphan;
  orphan.record.candidate = world.assignment(2).realized.candidate;
  orphan.record.workload = "w1";
  orphan.machine_went_down = 2;
  flights.remember_orphan(orphan);
  CHECK_FALSE(flights.finish(flights.evaluate(world.assignment(2), {})));
  CHECK(world.several.begun.empty());
  CHECK(world.outcomes == std::vector<OutcomeKind>{OutcomeKind::crashed});
}
