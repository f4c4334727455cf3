#include <catch2/catch.hpp>

#include "tests/fuzz/entries.h"
#include "tests/fuzz/mutations.h"

TEST_CASE("mutated manifests are read or refused") {
  harness::fuzz::run_mutations("manifest", harness::fuzz::manifest, 5000);
}
