#include "harness/evaluate/explain.h"

#include <catch2/catch.hpp>

#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

/// The message of a hostile kernel's evaluation on the cpu device.
std::string explained_message(const std::string& variant, json& line) {
  static const Scratch scratch;
  const std::string folder = std::string(HARNESS_SOURCE_DIR) + "/tests/hostile";
  const Finished finished = run_harness({"eval", "rowstats", variant, "--device", "cpu", "--emulated", "--db",
                                         scratch.path("store.db"), "--json", "--kernels", folder});
  INFO(finished.err);
  REQUIRE(finished.lines().size() == 1);
  line = finished.lines()[0];
  return line["error"]["message"];
}

}  // namespace

TEST_CASE("of a checker's findings the cause is told first, and what is no fault last") {
  const MemoryCheck check{.tool = "t",
                          .checked = true,
                          .findings = {{"inactive_lane", "lane"}, {"uninitialized", "unwritten"}, {"race", "both"}}};
  CHECK(first_finding({check}) == "both (and 2 more)");
  CHECK(first_finding({{.tool = "t", .checked = true, .findings = {{"inactive_lane", "lane"}}}}) == "lane");
  CHECK(first_finding({{.tool = "t", .why = "not found"}}).empty());
  CHECK(faults(check).size() == 2);
}

TEST_CASE("a missing barrier stands before the NaN that it made, with both lines") {
  json line;
  const std::string message = explained_message("14_race", line);
  CHECK(line["outcome"] == "wrong_answer");
  CHECK_THAT(message, Catch::StartsWith("memory checker at ") && Catch::Contains("no barrier between them"));
  CHECK_THAT(message, Catch::Contains("; finite: "));
}

TEST_CASE("a crash far out of bounds names the line and the buffer before the signal") {
  json line;
  const std::string message = explained_message("13_hunts_for_answers", line);
  CHECK(line["outcome"] == "crashed");
  CHECK_THAT(message, Catch::StartsWith("memory checker at ") && Catch::Contains("13_hunts_for_answers.cu:"));
}
