#pragma once
#include <cstddef>
#include <cstdlib>

#include "tests/support/skip.h"

namespace harness::tests {

/// Whether this run takes all cases (`./bootstrap nightly` sets HARNESS_TEST_ALL=1), also those that take minutes. CI
/// takes a slice of them, the same one in every run.
inline bool takes_all() {
  return std::getenv("HARNESS_TEST_ALL") != nullptr;
}

/// Whether case `index` of a long list is taken in this run: CI takes the first of every `of` cases.
inline bool in_slice(std::size_t index, std::size_t of) {
  return takes_all() || index % of == 0;
}

/// Whether a long test case is left to the night. It is counted as skipped then; the caller returns.
inline bool is_nightly() {
  if (takes_all()) return false;
  skip("a long case: ./bootstrap nightly takes it, as HARNESS_TEST_ALL=1 does");
  return true;
}

}  // namespace harness::tests
