#include <catch2/catch.hpp>

#include "harness/system/files.h"
#include "tests/support/program.h"

// A table for a grid of shapes, as a person asks for it. The pure parts are tested in tests/tune.
using namespace harness;
using namespace harness::tests;

namespace {

void check_tune_refusal(const std::vector<std::string>& words, const std::string& sentence) {
  std::vector<std::string> all{"tune"};
  all.insert(all.end(), words.begin(), words.end());
  const Finished finished = run_harness(all);
  CHECK(finished.status == 2);
  CHECK_THAT(finished.err, Catch::Contains(sentence));
}

}  // namespace

TEST_CASE("a tune that means nothing is refused before anything runs") {
  const Scratch scratch;
  check_tune_refusal({"vector_scale", "--device", "cpu"}, "give --grid");
  check_tune_refusal({"vector_scale", "--grid", "M=1..4", "--device", "cpu"}, "has no size 'M'");
  check_tune_refusal({"vector_scale", "--grid", "N=4..1", "--device", "cpu"}, "no range from a size to a larger one");
  check_tune_refusal({"attention", "--grid", "B=1..4", "--model", "gpt2", "--device", "cpu"},
                     "one shape, not 3 of them");
  check_tune_refusal({scratch.path("none.json")}, "there is no table");
  scratch.write("other.json", "{\"schema\": 1}");
  check_tune_refusal({scratch.path("other.json")}, "is no table of harness tune");
}

TEST_CASE("a tune ends with a table that holds, is recorded, goes stale and is refreshed", "[.nightly]") {
  const Scratch scratch;
  const std::string file = scratch.path("table.json");
  const Finished made =
      run_harness({"tune", "vector_scale", "--grid", "N=4096..65536", "--workload", "dtype=f16", "--device", "cpu",
                   "--budget", "300s", "--db", scratch.db(), "-o", file, "--json"});
  INFO(made.err);
  REQUIRE(made.status == 0);
  json table = made.lines().at(0);
  CHECK(table == parse_json(read_file(file)));
  REQUIRE(table.at("entries").size() == 5);
  CHECK(table.at("times") == "predicted");
  CHECK(table.at("candidates") >= 2);
  for (const json& entry : table.at("entries")) {
    CHECK(entry.at("shape").get<std::string>().find("dtype=f16") != std::string::npos);
    if (entry.at("time_ns").is_number() && entry.at("original_ns").is_number())
      CHECK(entry.at("time_ns") <= entry.at("original_ns"));
  }
  REQUIRE(table.at("held_out").size() >= 1);
  CHECK(table.at("measured_regret") >= 0);
  CHECK(table.at("largest_regret") >= table.at("measured_regret"));
  CHECK_THAT(run_harness({"campaigns", "--db", scratch.db()}).out, Catch::Contains("tune"));

  CHECK(run_harness({"tune", file, "--db", scratch.db()}).status == 0);
  const std::string folder = scratch.path("package");
  const Finished packaged = run_harness({"package", "vector_scale", "-o", folder, "--table", file, "--allow",
                                         "emulated", "--db", scratch.db(), "--json"});
  INFO(packaged.err);
  REQUIRE(packaged.status == 0);
  const json package = packaged.lines().at(0);
  CHECK(package.at("table").at("entries") == 5);
  const auto originals = package.at("table").at("originals").get<std::size_t>();
  std::size_t cells = 0;
  for (const json& rule : package.at("dispatch"))
    if (rule.at("why").get<std::string>().ends_with("by the tuned table")) ++cells;
  CHECK(cells + package.at("cells_left_out").size() + originals == 5);
  json description = parse_json(read_file(folder + "/kernel.json"));
  CHECK(description.at("table") == package.at("table"));
  for (json& entry : table.at("entries")) entry["tools"]["compiler"] = "another";
  scratch.write("table.json", table.dump());
  const Finished stale = run_harness({"tune", file, "--db", scratch.db()});
  CHECK(stale.status == 1);
  CHECK_THAT(stale.out, Catch::Contains("5 of 5 entries are stale"));
  CHECK(run_harness({"tune", file, "--refresh", "--budget", "120s", "--db", scratch.db()}).status == 0);
  CHECK(run_harness({"tune", file, "--db", scratch.db()}).status == 0);
}
