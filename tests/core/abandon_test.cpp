#include "harness/core/abandon.h"

#include <catch2/catch.hpp>
#include <vector>

using namespace harness;

TEST_CASE("a candidate is given up when all of its samples lie beyond the factor of its rival's slowest") {
  const std::vector<double> rival{10, 11, 12, 10, 11, 12};
  CHECK(clearly_slower(std::vector<double>{25, 30, 26, 25, 25, 25}, rival, 2));
  CHECK_FALSE(clearly_slower(std::vector<double>{24, 30, 26, 25, 25, 25}, rival, 2));
  CHECK_FALSE(clearly_slower(std::vector<double>{25, 30, 26, 25, 25, 25}, rival, 2.5));
  CHECK(abandon_threshold(rival, 2) == 24);
}

TEST_CASE("five samples are too few to give up, and no factor means never") {
  const std::vector<double> rival(6, 10.0), slow(6, 1000.0);
  CHECK_FALSE(clearly_slower(std::vector<double>(5, 1000.0), rival, 2));
  CHECK_FALSE(clearly_slower(slow, std::vector<double>(5, 10.0), 2));
  CHECK_FALSE(clearly_slower(slow, {}, 2));
  CHECK_FALSE(clearly_slower(slow, rival, 0));
}
