#pragma once
#include <cstddef>
#include <cstdlib>
#include <random>

namespace harness::tests {

/// Whether case `index` is taken in this run, where all of them would take minutes: one share `of` many is, another one
/// in each run. HARNESS_TEST_ALL=1 takes all.
inline bool has_turn(std::size_t index, std::size_t of) {
  static const unsigned draw = std::random_device{}();
  return std::getenv("HARNESS_TEST_ALL") != nullptr || index % of == draw % of;
}

}  // namespace harness::tests
