#include <catch2/catch.hpp>

#include "tests/support/program.h"

// Kernels whose gates could tell nothing, whatever a candidate does.
using namespace harness;
using namespace harness::tests;

TEST_CASE("check stops at a contract that nothing can be judged by, and says why") {
  const Scratch scratch;
  const Finished checked = run_harness({"check", "zeros", "nans", "race", "vacuous", "--kernels",
                                        std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/unfit", "--device", "cpu",
                                        "--db", scratch.db(), "--json"});
  INFO(checked.err);
  CHECK(checked.status == 1);
  const std::vector<json> kernels = checked.lines();
  REQUIRE(kernels.size() == 4);
  const char* const sentences[] = {"every element of the input 'x' is 0 in all draws", "the reference leaves NaN in",
                                   "the reference has a fault, on ", "'y' follows from no input"};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    CHECK(kernels[i]["passed"] == false);
    CHECK(kernels[i]["mutants"].empty());
    CHECK_THAT(kernels[i]["problems"].dump(), Catch::Contains(sentences[i]));
  }
}
