#include "harness/evaluate/diagnosis.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

JudgedPoint at(std::int64_t s, bool causal, bool passed, double error = 0.1) {
  return {{{"S", Value(s)}, {"causal", Value(causal)}}, passed, passed ? 1e-4 : error};
}

}  // namespace

TEST_CASE("a flag that all wrong points share is named") {
  CHECK(diagnose({at(64, true, false), at(65, false, true), at(128, false, true), at(33, true, false)}, {}) ==
        "only where causal is true");
}

TEST_CASE("sizes off the tile, beyond one tile, and beyond what was right are named") {
  const Config config{{"BLOCK_N", Value(std::int64_t{64})}};
  CHECK(diagnose({at(65, true, false), at(64, false, true), at(128, true, true), at(33, false, false)}, config) ==
        "only where S is no multiple of BLOCK_N = 64");
  CHECK(diagnose({at(65, true, false), at(64, false, true), at(33, true, true), at(128, false, false)}, config) ==
        "only where S exceeds BLOCK_N = 64");
  CHECK(diagnose({at(40, true, false), at(20, false, true), at(10, true, true), at(90, false, false)}, {}) ==
        "only where S is larger than 20");
}

TEST_CASE("an error that grows with a size is told, one that does not is not") {
  CHECK(diagnose({at(64, true, false, 0.1), at(128, true, false, 0.2), at(256, true, false, 0.4)}, {}) ==
        "the error grows with S");
  CHECK(diagnose({at(64, true, false, 0.4), at(128, true, false, 0.2), at(256, true, false, 0.4)}, {}).empty());
}

TEST_CASE("too few points tell nothing") {
  CHECK(diagnose({at(64, true, false)}, {}).empty());
  CHECK(diagnose({at(64, true, false), at(65, false, true)}, {}).empty());
  CHECK(diagnose({}, {}).empty());
}

TEST_CASE("places are told in the candidate's own tiles") {
  const Config config{{"BLOCK_M", Value(std::int64_t{32})}, {"SPLITS", Value(std::int64_t{2})}};
  CHECK(in_tiles("rows >= 64, ratio 0.675", config) == "64 = 2 x BLOCK_M (32)");
  CHECK(in_tiles("rows >= 65, ratio 64", config).empty());
}
