#include <catch2/catch.hpp>

#include "tests/support/program.h"

// `__constant__` variables that a manifest fills (tests/hostile/weighted).
using namespace harness;
using namespace harness::tests;

namespace {

json evaluated(const Scratch& scratch, const std::string& variant) {
  const Finished finished =
      run_harness({"eval", "weighted", variant, "--device", "cpu", "--emulated", "--workload", "small", "--db",
                   scratch.path("store.db"), "--json", "--kernels", HARNESS_SOURCE_DIR "/tests/hostile"});
  INFO(finished.out << finished.err);
  REQUIRE(finished.lines().size() == 1);
  return finished.lines()[0];
}

}  // namespace

TEST_CASE("constant memory is filled from arguments, for the reference too, and must stay as it was filled") {
  const Scratch scratch;
  CHECK(evaluated(scratch, "00_honest")["outcome"] == "passed");
  const json memo = evaluated(scratch, "04_memo_filled");
  CHECK(memo["outcome"] == "crashed");
  CHECK_THAT(memo.dump(), Catch::Contains("a launch has changed filters::weights, which is __constant__ memory"));
}
