#include "harness/campaign/limits.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "tests/fakes/ports.h"

using namespace harness;
using namespace harness::fakes;

TEST_CASE("time runs from the beginning, and what had passed before and in earlier legs counts") {
  FakeClock clock;
  CampaignOptions options;
  options.budget_s = 100;
  Limits limits(options, clock, nullptr);
  CHECK(limits.spent_s() == 0);
  limits.begin(3);
  limits.go_on_from(20);
  clock.now += 10;
  CHECK(limits.spent_s() == Approx(33));
  CHECK(*limits.left_s() == Approx(67));
  CHECK(limits.affords(67));
  CHECK_FALSE(limits.affords(67.5));
  CHECK_FALSE(limits.check(40, 20));
  CHECK(limits.check(50, 20)->reason == EndReason::budget);
  CHECK_THAT(limits.check(50, 20)->message, Catch::Contains("would not fit beside the confirmation"));
  CHECK_THAT(limits.check(70, 0)->message, Catch::EndsWith("would not fit"));
}

TEST_CASE("money ends a campaign as time does, and proposals count") {
  FakeClock clock;
  CampaignOptions options;
  options.usd_per_hour = 3600;
  options.max_cost_usd = 10;
  Limits limits(options, clock, nullptr);
  limits.begin(0);
  clock.now += 4;
  limits.pay(1);
  CHECK(*limits.spent_usd() == Approx(5));
  CHECK(limits.payable_s() == Approx(5));
  CHECK(limits.payable_at_first_s() == Approx(10));
  CHECK_FALSE(limits.check(5, 0));
  CHECK(limits.check(5, 1)->reason == EndReason::cost);
}

TEST_CASE("without limits everything is affordable, and no price is known") {
  FakeClock clock;
  const CampaignOptions options;
  Limits limits(options, clock, nullptr);
  limits.begin(0);
  CHECK(limits.affords(1e9));
  CHECK_FALSE(limits.left_s());
  CHECK_FALSE(limits.spent_usd());
  CHECK(std::isinf(limits.payable_s()));
}

TEST_CASE("what is held and not worked with is idle") {
  FakeClock clock;
  const CampaignOptions options;
  FakeFleet fleet(clock, 2);
  fleet.come_late(1, clock.now + 5);
  Limits limits(options, clock, &fleet);
  limits.begin(0);
  clock.now += 5;
  fleet.next(0);
  limits.note_devices();
  clock.now += 5;
  CHECK(limits.held_s() == Approx(15));
  limits.work(4);
  CHECK(limits.idle_s() == Approx(11));
}
