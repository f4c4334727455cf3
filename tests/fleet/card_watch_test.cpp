#include "harness/fleet/card_watch.h"

#include <catch2/catch.hpp>
#include <random>

using namespace harness;
using fleet::CardRules;
using fleet::CardWatch;

namespace {

CardCalibration at(double share) {
  return {4e12 * share, 8e14 * share, "test", {}};
}

/// One calibration as often as the watch wants it in a row.
std::optional<CardCheck> calibrated(CardWatch& watch, double share, double now) {
  std::optional<CardCheck> check;
  for (int i = 0; i < 5 && !check; ++i) check = watch.take(at(share), 0.1, now);
  return check;
}

CardWatch watch_of(CardRules rules = {}, bool emulated = false, CardWatch::Known known = {}) {
  return {rules, emulated, std::move(known)};
}

}  // namespace

TEST_CASE("a card is held against its own first calibration, whatever others of its name reach") {
  CardWatch slow = watch_of();
  CHECK(calibrated(slow, 0.9, 0)->verdict == CardVerdict::first);
  const auto later = calibrated(slow, 0.905, 700);
  CHECK(later->verdict == CardVerdict::good);
  CHECK(*later->drift == Approx(0.905 / 0.9 - 1));
}

TEST_CASE("a card that drifts is suspect, and the second time it is quarantined") {
  CardWatch watch = watch_of();
  calibrated(watch, 1, 0);
  CHECK_FALSE(watch.is_due(599));
  CHECK(watch.is_due(600));
  const auto suspect = calibrated(watch, 0.97, 600);
  CHECK(suspect->verdict == CardVerdict::suspect);
  CHECK_THAT(suspect->why, Catch::Contains("3.0 % slower"));
  CHECK(suspect->seconds == Approx(0.3));  // three in a row
  CHECK(watch.is_due(600.1));              // before its next evaluation but this one
  CHECK(calibrated(watch, 0.97, 601)->verdict == CardVerdict::quarantined);
  CHECK(watch.quarantined());
  CHECK_FALSE(watch.is_due(1e9));
}

TEST_CASE("nothing is blamed for a single calibration, nor for the noise of many") {
  CardWatch watch = watch_of();
  calibrated(watch, 1, 0);
  CHECK_FALSE(watch.take(at(0.8), 0.1, 600));  // another one is wanted at once
  CHECK_FALSE(watch.take(at(1), 0.1, 600));
  CHECK(watch.take(at(1.001), 0.1, 600)->verdict == CardVerdict::good);
  std::mt19937 random(1);
  std::normal_distribution<> noise(1, 0.006);
  for (int i = 0; i < 2000; ++i) {
    std::optional<CardCheck> check;
    while (!check) check = watch.take(at(noise(random)), 0.1, 600.0 * i);
    CHECK(check->verdict == CardVerdict::good);
  }
}

TEST_CASE("three good ones in a row take a suspicion back, fewer do not") {
  for (const int good : {2, 3}) {
    CardWatch watch = watch_of();
    calibrated(watch, 1, 0);
    calibrated(watch, 0.95, 1);
    for (int i = 0; i < good; ++i) CHECK(calibrated(watch, 1, 2 + i)->verdict == CardVerdict::good);
    CHECK(calibrated(watch, 0.95, 9)->verdict == (good == 2 ? CardVerdict::quarantined : CardVerdict::suspect));
  }
}

TEST_CASE("errors that the driver tells of need no drift") {
  CardWatch watch = watch_of();
  CardCalibration found = at(1);
  found.state.ecc_uncorrected = 7;  // from before its time here
  CHECK(watch.take(found, 0.1, 0)->verdict == CardVerdict::first);
  found.state.ecc_uncorrected = 9;
  const auto errors = watch.take(found, 0.1, 600);
  CHECK(errors->verdict == CardVerdict::suspect);
  CHECK_THAT(errors->why, Catch::Contains("2 memory errors"));
  found.state.xids = {79};
  const auto xid = watch.take(found, 0.1, 601);
  CHECK(xid->verdict == CardVerdict::quarantined);
  CHECK_THAT(xid->why, Catch::Contains("XID 79"));
}

TEST_CASE("what earlier campaigns know of a card counts, by the same method alone") {
  const auto known = [](const std::string& method) { return method == "test" ? std::optional(at(1)) : std::nullopt; };
  CardWatch watch = watch_of({}, false, known);
  CHECK(calibrated(watch, 0.9, 0)->verdict == CardVerdict::suspect);
  CardWatch other = watch_of({}, false, known);
  CardCalibration found = at(0.9);
  found.method = "another";
  CHECK(other.take(found, 0.1, 0)->verdict == CardVerdict::first);
}

TEST_CASE("an emulation shares its cores: its drift is recorded and nobody is blamed") {
  CardWatch watch = watch_of({}, true);
  calibrated(watch, 1, 0);
  const auto later = calibrated(watch, 0.1, 600);
  CHECK(later->verdict == CardVerdict::good);
  CHECK(*later->drift == Approx(-0.9));
}

TEST_CASE("a device that makes no calibration is left alone, one that fails at it twice is not") {
  CardWatch watch = watch_of();
  CHECK_FALSE(watch.take({}, 0, 0));
  CHECK_FALSE(watch.is_due(1));
  CHECK(watch.fail("no memory", 0.1, 600)->verdict == CardVerdict::suspect);
  const auto again = watch.fail("no memory", 0.1, 601);
  CHECK(again->verdict == CardVerdict::quarantined);
  CHECK_THAT(again->why, Catch::Contains("no memory"));
}
