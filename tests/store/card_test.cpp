#include <catch2/catch.hpp>

#include "harness/store/figures.h"
#include "tests/store/recorded.h"

using namespace harness;
using namespace harness::store;
using namespace harness::store::test;

namespace {

CardCheck a_check(const std::string& node, CardVerdict verdict, std::optional<double> drift = {}) {
  return {node, "GPU-" + node, "NVIDIA H200", "580.1", {4e12, 8e14, "cuda 1", {}}, "due", verdict, drift, "", 0.1};
}

}  // namespace

TEST_CASE("a card's first calibration is known to later campaigns, by driver and method") {
  const auto store = Store::open(":memory:", Mode::read_write);
  const auto campaign = store->begin_campaign(a_campaign());
  CardCheck first = a_check("n1", CardVerdict::first);
  first.calibration.state.sm_clock_mhz = 1980;
  store->record_card_check(campaign, first);
  store->record_card_check(campaign, a_check("n1", CardVerdict::good, 0.001));
  REQUIRE(store->first_calibration("GPU-n1", "580.1", "cuda 1"));
  CHECK(store->first_calibration("GPU-n1", "580.1", "cuda 1")->bytes_per_s == 4e12);
  CHECK_FALSE(store->first_calibration("GPU-n1", "590.1", "cuda 1"));
  CHECK_FALSE(store->first_calibration("GPU-n1", "580.1", "cuda 2"));
  CHECK_FALSE(store->first_calibration("GPU-n2", "580.1", "cuda 1"));
  const json checks = figure_objects(*store, "card_calibrations", campaign);
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].at("sm_clock_mhz") == 1980.0);
  CHECK(checks[1].at("verdict") == "good");
}

TEST_CASE("what a quarantined card did since its last good calibration is marked, and nothing else") {
  const auto store = Store::open(":memory:", Mode::read_write);
  const auto campaign = store->begin_campaign(a_campaign());
  std::vector<std::int64_t> made;
  const auto evaluated_on = [&](const std::string& node) {
    AttemptRecord attempt = an_attempt(campaign);
    attempt.node = node;
    attempt.device_uuid = "GPU-" + node;
    attempt.after = 0;
    made.push_back(record(*store, attempt, screened(100)));
  };
  store->record_card_check(campaign, a_check("n1", CardVerdict::first));
  evaluated_on("n1");
  store->record_card_check(campaign, a_check("n1", CardVerdict::good, 0.0));
  evaluated_on("n1");
  evaluated_on("n2");
  store->record_card_check(campaign, a_check("n1", CardVerdict::suspect, -0.04));
  evaluated_on("n1");
  CHECK(rows(*store, "SELECT iteration FROM v_doubted").empty());
  store->record_card_check(campaign, a_check("n1", CardVerdict::quarantined, -0.04));
  CHECK(value(*store, "SELECT group_concat(iteration) FROM (SELECT iteration FROM v_doubted ORDER BY iteration)") ==
        std::to_string(made[1]) + "," + std::to_string(made[3]));
  const json cards = figure_objects(*store, "card_records", campaign);
  CHECK(cards.at(0).at("doubted") == 2);
  CHECK(cards.at(1).at("doubted") == 0);
}

TEST_CASE("calibrations are charged as seconds of one of several devices") {
  const auto store = Store::open(":memory:", Mode::read_write);
  CampaignRecord several = a_campaign();
  several.environment["devices"] = 4;
  const auto campaign = store->begin_campaign(several);
  store->charge(campaign, "calibration", 8);
  CHECK(value(*store, "SELECT seconds FROM charge WHERE stage = 'calibration'") == 8.0);
  CHECK(value(*store, "SELECT spent_s FROM campaign") == 2.0);
}
