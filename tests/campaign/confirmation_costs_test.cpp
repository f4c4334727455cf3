#include "harness/campaign/confirmation_costs.h"

#include <catch2/catch.hpp>

using namespace harness;

TEST_CASE("a confirmation is expected to take what the longest one of its kernel took") {
  ConfirmationCosts costs(false);
  UsualSeconds usual;
  usual.evaluations[{"k", Purpose::confirm}] = 5;
  costs.know(usual);
  CHECK(costs.expect("k", 1, 1) == 5);
  costs.add("k", 2);
  costs.add("k", 3);
  costs.add("k", 1);
  CHECK(costs.expect("k", 1, 1) == 3);
  CHECK(costs.expect("other", 1, 1) > 3);
}

TEST_CASE("what is usual is scaled by what evaluations take on this machine now") {
  ConfirmationCosts costs(true);
  UsualSeconds usual;
  usual.evaluations[{"k", Purpose::confirm}] = 5;
  usual.evaluations[{"k", Purpose::search}] = 0.5;
  costs.know(usual);
  CHECK(costs.expect("k", 0.5, 1) == Approx(5));
  CHECK(costs.expect("k", 1, 1) == Approx(10));
  CHECK(costs.expect("k", 0.1, 1) == Approx(5));  // a lucky hour promises nothing
}

TEST_CASE("where nothing was confirmed yet, a confirmation is expected to take several evaluations") {
  CHECK(ConfirmationCosts(false).expect("k", 1, 0.25) == Approx(8.5));
  CHECK(ConfirmationCosts(true).expect("k", 1, 1) > 4);
}

TEST_CASE("time is kept for every winner that can still be paid") {
  CHECK(kept_for_confirmations({16, 16}, {}, 60, 60, 18) == 32);
  CHECK(kept_for_confirmations({16, 16}, {}, 60, 18, 18) == 18);  // guessed
  CHECK(kept_for_confirmations({16, 16}, {}, 20, 20, 18) == 16);
  CHECK(kept_for_confirmations({16, 4}, {}, 10, 60, 18) == 4);
  CHECK(kept_for_confirmations({16}, {}, 10, 60, 18) == 0);
  CHECK(kept_for_confirmations({35}, {}, 38, 12, 12) == 12);  // a guess does not take the search's time
}

TEST_CASE("for winners that there may be, a share of the budget is kept") {
  CHECK(kept_for_confirmations({}, {5, 5, 5, 5}, 60, 60, 18) == 15);
  CHECK(kept_for_confirmations({16}, {5}, 60, 60, 18) == 16);
  CHECK(kept_for_confirmations({}, {5}, 3, 60, 18) == 0);
}
