#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// Kernels that are right and unusual (tests/honest): none of them may be refused.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kHonestFolder = std::string(HARNESS_SOURCE_DIR) + "/tests/honest";

}  // namespace

TEST_CASE("no honest kernel is refused", "[honest]") {
  const Scratch scratch;
  int passed = 0;
  std::size_t index = 0;
  for (const auto& kernel : std::filesystem::directory_iterator(kHonestFolder)) {
    for (const auto& file : std::filesystem::directory_iterator(kernel.path() / "variants")) {
      if (file.path().extension() != ".lua" || !tests::has_turn(index++, 4)) continue;
      const Finished finished =
          run_harness({"eval", kernel.path().filename().string(), file.path().stem().string(), "--device", "cpu",
                       "--emulated", "--db", scratch.path("store.db"), "--json", "--kernels", kHonestFolder});
      INFO(file.path() << "\n" << finished.out << finished.err);
      CHECK_FALSE(finished.lines().empty());
      for (const json& line : finished.lines()) {
        CHECK(line["outcome"] == "passed");
        ++passed;
      }
    }
  }
  CHECK(passed >= 2);
}
