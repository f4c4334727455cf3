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

/// By name: a folder's own order differs between file systems.
std::set<std::filesystem::path> honest_variants() {
  std::set<std::filesystem::path> variants;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kHonestFolder))
    if (entry.path().extension() == ".lua" && entry.path().parent_path().filename() == "variants")
      variants.insert(entry.path());
  return variants;
}

const std::string kCopies = "rowfirst";

}  // namespace

TEST_CASE("no honest kernel is refused", "[honest]") {
  const Scratch scratch;
  int passed = 0;
  std::size_t index = 0;
  for (const std::filesystem::path& file : honest_variants()) {
    if (!in_slice(index++, 6)) continue;
    const std::string kernel = file.parent_path().parent_path().filename().string();
    if (kernel == kCopies) continue;
    const Finished finished = run_harness({"eval", kernel, file.stem().string(), "--device", "cpu", "--emulated",
                                           "--db", scratch.path("store.db"), "--json", "--kernels", kHonestFolder});
    INFO(file << "\n" << finished.out << finished.err);
    CHECK_FALSE(finished.lines().empty());
    for (const json& line : finished.lines()) {
      CHECK(line["outcome"] == "passed");
      ++passed;
    }
  }
  CHECK(passed >= 2);
}

TEST_CASE("no comparison that a compiler copied is a question", "[honest][.nightly]") {
  const Scratch scratch;
  int passed = 0;
  for (const std::filesystem::path& file : honest_variants()) {
    if (file.parent_path().parent_path().filename() != kCopies) continue;
    const Finished finished = run_harness({"eval", kCopies, file.stem().string(), "--device", "cpu", "--db",
                                           scratch.path("store.db"), "--json", "--kernels", kHonestFolder});
    INFO(file << "\n" << finished.out << finished.err);
    REQUIRE(finished.lines().size() == 1);
    CHECK(finished.lines()[0]["outcome"] == "passed");
    ++passed;
  }
  CHECK(passed == 7);
}
