#include "harness/campaign/account.h"

#include <catch2/catch.hpp>

#include "tests/campaign/desk_world.h"

using namespace harness;
using harness::fakes::DeskWorld;

namespace {

IterationSummary timed(double speedup, double lo, double hi) {
  IterationSummary row = DeskWorld::passed(1, 4, 1000 / speedup);
  row.speedup_lo = lo;
  row.speedup_hi = hi;
  return row;
}

IterationSummary wrong(const std::string& fingerprint) {
  IterationSummary row = DeskWorld::passed(1, 4, 0);
  row.outcome = OutcomeKind::wrong_answer;
  row.time_ns.reset();
  row.speedup.reset();
  row.fingerprint = fingerprint;
  return row;
}

}  // namespace

TEST_CASE("a record of an arm is credible where its interval lies above that of the one before") {
  Arm arm;
  CHECK(account(arm, timed(2, 1.8, 2.2), true));
  CHECK_FALSE(account(arm, timed(2.3, 2.1, 2.5), true));  // the intervals overlap
  CHECK(account(arm, timed(3, 2.6, 3.4), true));
  CHECK_FALSE(account(arm, timed(2.5, 2.4, 2.6), false));  // no record at all
  REQUIRE(arm.state.records.size() == 3);
  CHECK_FALSE(arm.state.records[1].credible);
  CHECK(arm.state.records[2].evaluation == 3);
  CHECK(arm.state.best_speedup == Approx(3));
  CHECK(arm.state.timed == 4);
}

TEST_CASE("an arm improves by a verdict, or by a hundredth of its time") {
  Arm arm;
  account(arm, timed(2, 2, 2), true);
  account(arm, timed(2.01, 2, 2), false);  // less than a hundredth
  CHECK(arm.state.since_improvement == 1);
  CHECK(arm.state.best_ns == Approx(1000 / 2.01));
  account(arm, timed(2.1, 2, 2), false);
  CHECK(arm.state.since_improvement == 0);
  account(arm, timed(1.5, 1, 2), true);  // beside another incumbent it was the better one
  CHECK(arm.state.since_improvement == 0);
}

TEST_CASE("wrong answers are counted by their fingerprints, and in a row") {
  Arm arm;
  for (const char* fingerprint : {"a", "b", "b"}) account(arm, wrong(fingerprint), false);
  CHECK(arm.state.same_fingerprint == 2);
  CHECK(arm.state.last_fingerprint == "b");
  account(arm, timed(2, 2, 2), true);
  CHECK(arm.state.same_fingerprint == 0);
  CHECK(arm.state.outcomes == std::map<std::string, std::int64_t>{{"passed", 1}, {"wrong_answer", 3}});
  ArmState view;
  complete_view(view, arm, std::nullopt);
  REQUIRE(view.fingerprints.size() == 2);
  CHECK(view.fingerprints[0].fingerprint == "b");
  CHECK(view.fingerprints[0].count == 2);
}

TEST_CASE("repeated machine code is counted until something else comes") {
  Arm arm;
  IterationSummary repeated = wrong("");
  repeated.outcome = OutcomeKind::no_effect;
  for (int i = 0; i < 2; ++i) account(arm, repeated, false);
  CHECK(arm.state.same_code == 2);
  account(arm, wrong("a"), false);
  CHECK(arm.state.same_code == 0);
}

TEST_CASE("what a strategy sees of an arm does not grow with its history, and costs what its seconds cost") {
  Arm arm;
  for (int i = 1; i <= 100; ++i) {
    account(arm, timed(i, i, i), true);
    account(arm, wrong("fingerprint " + std::to_string(i)), false);
  }
  CHECK(arm.state.records.size() == 32);
  CHECK(arm.state.records.back().speedup == Approx(100));
  CHECK(arm.state.gains.size() == 16);
  CHECK(arm.fingerprints.size() == 64);
  ArmState view;
  view.spent_s = 1800;
  complete_view(view, arm, 4.0);
  CHECK(view.fingerprints.size() == 8);
  CHECK(view.spent_usd == Approx(2));
  CHECK_FALSE(view.predicted_usd);
  CHECK(view.log_evaluation_mean == Approx(0).margin(1e-9));  // of one second each
}

TEST_CASE("what was abandoned with a time so far is a gain, and no record") {
  Arm arm;
  IterationSummary given_up = timed(0.5, 0.4, 0.6);
  given_up.outcome = OutcomeKind::abandoned;
  CHECK_FALSE(account(arm, given_up, false));
  CHECK(arm.state.gains == std::vector<double>{0.5});
  CHECK(arm.state.records.empty());
  CHECK_FALSE(arm.state.best_ns);
}
