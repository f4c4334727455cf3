#include "harness/campaign/cards.h"

#include <catch2/catch.hpp>

#include "tests/campaign/desk_world.h"

using namespace harness;
using namespace harness::fakes;

namespace {

struct CardsWorld : DeskWorld {
  CardsWorld() { fleet = &two; }
  Flight flight(std::size_t device, std::int64_t n) {
    Flight flight;
    flight.device = device;
    flight.work = assignment(n);
    flight.attempt.candidate = flight.work.realized.candidate;
    flight.attempt.workload = "w1";
    flight.attempt.device_uuid = two.devices()[device].uuid;
    return flight;
  }
  /// It passed beside an incumbent that took so long there.
  static Evaluation beside(double time_ns, double incumbent_ns) {
    Timing timing;
    timing.time_ns = time_ns;
    timing.incumbent_ns = incumbent_ns;
    timing.verdict = Comparison::faster;
    Evaluation evaluation;
    evaluation.outcome = Passed{timing};
    return evaluation;
  }
  FakeFleet two{clock, 2};
};

}  // namespace

TEST_CASE("what calibrations found is recorded and charged once") {
  CardsWorld world;
  Cards cards(world.context());
  world.two.checks = {
      {"n2", "GPU-2", "Fake GPU", "1.0", {4e12, 8e14, "test", {}}, "joined", CardVerdict::first, {}, "", 0.2}};
  cards.take_checks();
  cards.take_checks();
  CHECK(world.ledger.card_checks.size() == 1);
  CHECK(world.ledger.charged["calibration"] == Approx(0.2));
}

TEST_CASE("an incumbent has its own record on each card") {
  CardsWorld world;
  Cards cards(world.context());
  IterationSummary there = DeskWorld::passed(1, 4, 200);
  there.device_uuid = "GPU-2";
  cards.remember(there);
  for (const std::size_t device : {0u, 1u}) {
    Flight flight = world.flight(device, 8);
    Incumbent incumbent{world.assignment(4).realized, 200, {}};
    cards.hold_to_record(incumbent, flight);
    CHECK(incumbent.by_record);
    CHECK(incumbent.alone_ns == (device == 1 ? 200 : 0));
  }
}

TEST_CASE("a time of another card is told as the anchor's, by what the incumbent took on both") {
  CardsWorld world;
  Cards cards(world.context());
  IterationSummary baseline = DeskWorld::passed(1, 0, 1000);
  baseline.device_uuid = "GPU-1";
  world.context().state.apply(baseline);
  Flight flight = world.flight(1, 8);
  flight.work.incumbent_ns = 1000;
  flight.evaluation = CardsWorld::beside(110, 1100);
  cards.land(flight);
  REQUIRE(flight.evaluation->anchor_ns);
  CHECK(*flight.evaluation->anchor_ns == Approx(100));
}

TEST_CASE("a card whose record of an incumbent had to be renewed is doubted") {
  CardsWorld world;
  Cards cards(world.context());
  Flight flight = world.flight(1, 8);
  flight.alone_key = "x";
  flight.alone_ns = 200;
  flight.evaluation = CardsWorld::beside(100, 200);
  flight.evaluation->incumbent_alone_ns = 230;
  cards.land(flight);
  CHECK(world.two.doubted == std::set<std::size_t>{1});
}
