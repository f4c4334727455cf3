#include "harness/core/suggest.h"

#include <catch2/catch.hpp>

using harness::did_you_mean;
using harness::nearest;

TEST_CASE("the nearest name is the one that a slip of the finger missed") {
  const std::vector<std::string> known = {"roi", "exhaustive", "time-overrun", "hillclimb", "random"};
  CHECK(nearest("ecxhaustive", known) == "exhaustive");
  CHECK(nearest("exhuastive", known) == "exhaustive");
  CHECK(nearest("time_overrun", known) == "time-overrun");
  CHECK(nearest("Random", known) == "random");
  CHECK(nearest("climb", known) == "hillclimb");
  CHECK(nearest("rio", known) == "roi");
}

TEST_CASE("a name that resembles nothing gets no suggestion") {
  const std::vector<std::string> known = {"roi", "exhaustive"};
  CHECK(nearest("bayesian", known).empty());
  CHECK(nearest("xy", {"ab"}).empty());
  CHECK(nearest("", known).empty());
  CHECK(nearest(std::string(100000, 'x'), known).empty());
  CHECK(did_you_mean("bayesian", known).empty());
}

TEST_CASE("the suggestion ends a sentence") {
  CHECK(did_you_mean("ro", {"roi"}) == "; did you mean 'roi'?");
}
