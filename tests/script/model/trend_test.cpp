#include "harness/script/model/trend.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "harness/script/model/forest.h"
#include "harness/script/sandbox/random.h"

namespace {

using namespace harness::script;

/// Rows of 1, x, x^2 for `count` values of x from -1 to 1.
std::vector<double> parabola_terms(std::size_t count) {
  std::vector<double> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = 2 * static_cast<double>(i) / static_cast<double>(count - 1) - 1;
    rows.insert(rows.end(), {1, x, x * x});
  }
  return rows;
}

std::vector<double> noise(std::size_t count) {
  Random random(7);
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(random.unit());
  return values;
}

}  // namespace

TEST_CASE("a trend foretells what follows smoothly from the parameters, beyond what was seen too") {
  const std::vector<double> rows = parabola_terms(21);
  std::vector<double> targets;
  for (std::size_t i = 0; i < 21; ++i) targets.push_back(5 + rows[3 * i + 1] + 3 * rows[3 * i + 2]);
  double mean = 0;
  for (const double target : targets) mean += target / 21;
  Trend trend;
  trend.fit(rows, 3, targets);
  CHECK(trend.share() > 0.99);
  const double beyond[] = {1, 1.5, 2.25};
  CHECK(trend.at(beyond) + mean == Approx(5 + 1.5 + 3 * 2.25).epsilon(0.02));
  CHECK(trend.left_out(0) + mean == Approx(targets[0]).epsilon(0.05));
}

TEST_CASE("a trend says nothing of what follows from nothing, or of too few results") {
  Trend trend;
  trend.fit(parabola_terms(21), 3, noise(21));
  CHECK(trend.share() == 0);
  const double row[] = {1, 0.5, 0.25};
  CHECK(trend.at(row) == 0);
  CHECK(trend.left_out(3) == 0);
  trend.fit(parabola_terms(4), 3, std::vector<double>{1, 2, 3, 4});
  CHECK(trend.share() == 0);
}

TEST_CASE("a forest estimates many rows as it estimates each") {
  const std::vector<double> values = noise(300);
  Matrix rows{3, {values.begin(), values.end()}};
  std::vector<double> targets;
  for (std::size_t i = 0; i < 100; ++i) targets.push_back(values[3 * i] + std::floor(4 * values[3 * i + 1]));
  Random random(1);
  Forest forest;
  forest.fit(rows, targets, {}, random);
  rows.cells.resize(3 * 99);  // no multiple of those that walk side by side
  const std::vector<Estimate> all = forest.estimates(rows);
  REQUIRE(all.size() == 99);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CHECK(all[i].mean == forest.estimate(rows.row(i)).mean);
    CHECK(all[i].deviation == forest.estimate(rows.row(i)).deviation);
  }
}
