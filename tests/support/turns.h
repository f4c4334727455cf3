#pragma once
#include <cstddef>
#include <cstdlib>
#include <random>

#include "tests/support/skip.h"

namespace harness::tests {

/// Whether case `index` is taken in this run, where all of them would take minutes: one share `of` many is, another one
/// in each run. HARNESS_TEST_ALL=1 takes all.
inline bool has_turn(std::size_t index, std::size_t of) {
  static const unsigned draw = std::random_device{}();
  return std::getenv("HARNESS_TEST_ALL") != nullptr || index % of == draw % of;
}

/// Whether long case `index` of a test program rests in this run: every other one does, the others in another run. It
/// is counted as skipped then.
inline bool rests(std::size_t index) {
  if (has_turn(index, 2)) return false;
  skip("long cases take turns, and this one has none in this run (HARNESS_TEST_ALL=1 takes all)");
  return true;
}

}  // namespace harness::tests
