#include "harness/simulate/score.h"

#include <catch2/catch.hpp>

#include "harness/simulate/read_space.h"

using namespace harness;
using namespace harness::simulate;

namespace {

Yardstick tile() {
  return Yardstick(read_space(std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/spaces/tile.json"));
}

}  // namespace

// The figures were computed by the reference, score.py of the shared spaces.
TEST_CASE("the budget is the time random search is expected to need") {
  const Yardstick yardstick = tile();
  CHECK(yardstick.budget_s() == Approx(17.1234).epsilon(1e-12));
  CHECK(yardstick.evaluations() == 27);
  CHECK(yardstick.configurations() == 90);
  CHECK(yardstick.timed() == 83);
  CHECK(yardstick.optimum_ms() == 1.01);
  CHECK(yardstick.median_ms() == 1.58);
}

TEST_CASE("random search is expected, not sampled") {
  const Yardstick yardstick = tile();
  CHECK(yardstick.random_at(0.3) == Approx(1.611941178517631).epsilon(1e-12));
  CHECK(yardstick.random_at(1) == Approx(1.557240528309516).epsilon(1e-12));
  CHECK(yardstick.random_at(5) == Approx(1.1907974450239933).epsilon(1e-12));
  CHECK(yardstick.random_at(17) == Approx(1.0518757607934945).epsilon(1e-12));
  CHECK(yardstick.random_at(1e6) == yardstick.optimum_ms());
}

TEST_CASE("a trace scores as the reference says") {
  const Yardstick yardstick = tile();
  const auto good = yardstick.score({{0.7, 1.5}, {3.2, 1.1}, {8.0, 1.01}});
  CHECK(good.p == Approx(0.6098975810234779).epsilon(1e-10));
  CHECK(good.p_end == Approx(1.0));
  CHECK(good.best_over_optimum == Approx(1.0));
  CHECK(*good.within_5_percent_s == 8.0);
  const auto nothing = yardstick.score({});
  CHECK(nothing.p == Approx(-5.061893536267409).epsilon(1e-10));
  CHECK_FALSE(nothing.within_5_percent_s);
  const auto late = yardstick.score({{16.9, 1.05}});
  CHECK(late.p == Approx(-4.805618106318738).epsilon(1e-10));
  CHECK(late.p_end == Approx(0.03292290585407123).epsilon(1e-9));
  CHECK(yardstick.score({{1.0, 1.01}}, 1000).p == 1.0);  // far beyond the time random search needs for all of it
  CHECK(yardstick.score({{0.7, 1.5}, {3.2, 1.1}, {8.0, 1.01}}, 2).p == Approx(0.8208281911402967).epsilon(1e-10));
}
