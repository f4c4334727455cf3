#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/program.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::tests;

namespace {

const std::string kTile = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/spaces/tile.json";

std::string shared_spaces() {
  const char* given = std::getenv("HARNESS_SPACES");
  const std::string folder = given != nullptr ? given : std::string(HARNESS_SOURCE_DIR) + "/../shared/spaces";
  return std::filesystem::exists(folder + "/score.py") ? folder : "";
}

}  // namespace

TEST_CASE("every shipped search runs on a recorded space, the same for the same seed") {
  for (const char* search :
       {"random", "exhaustive", "hillclimb", "iterated-local-search", "annealing", "genetic", "default"}) {
    CAPTURE(search);
    const std::vector<std::string> arguments{"simulate", kTile,    "--search", search,  "--repeats",
                                             "3",        "--seed", "4",        "--json"};
    const Finished first = run_harness(arguments);
    INFO(first.err);
    REQUIRE(first.status == 0);
    REQUIRE(first.lines().size() == 1);
    const json result = first.lines()[0];
    CHECK(result["space"] == "spaces/tile");
    CHECK(result["search"] == search);
    CHECK(result["repeats"] == 3);
    CHECK(result["per_seed"].size() == 3);
    CHECK(result["budget_s"].get<double>() == Approx(17.1234));
    CHECK(result["score"].is_number());
    CHECK(run_harness(arguments).out == first.out);
  }
}

TEST_CASE("a search goes on to the end of the space when the budget allows it") {
  for (const char* search :
       {"random", "exhaustive", "hillclimb", "iterated-local-search", "annealing", "genetic", "default"}) {
    CAPTURE(search);
    const Finished finished =
        run_harness({"simulate", kTile, "--search", search, "--repeats", "2", "--budget-factor", "50", "--json"});
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    CHECK(finished.lines()[0]["evaluations"] == 90.0);
    CHECK(finished.lines()[0]["best_over_optimum"] == 1.0);
  }
}

TEST_CASE("traces say what was found when, one line a repeat") {
  const Scratch scratch;
  const Finished finished =
      run_harness({"simulate", kTile, "--search", "random", "--repeats", "4", "--trace", scratch.path("traces.jsonl")});
  REQUIRE(finished.status == 0);
  std::ifstream file(scratch.path("traces.jsonl"));
  int count = 0;
  std::size_t improvements = 0;
  for (std::string line; std::getline(file, line); ++count) {
    const json trace = parse_json(line);
    CHECK(trace["space"] == "spaces/tile");
    CHECK(trace["seed"] == count);
    REQUIRE(!trace["trace"].empty());
    improvements += trace["trace"].size() - 1;
    for (std::size_t i = 1; i < trace["trace"].size(); ++i) {
      CHECK(trace["trace"][i][0] > trace["trace"][i - 1][0]);
      CHECK(trace["trace"][i][1] < trace["trace"][i - 1][1]);
    }
  }
  CHECK(count == 4);
  CHECK(improvements > 0);
}

TEST_CASE("what is known of another device is tried first") {
  const std::vector<std::string> arguments{"simulate", kTile, "--repeats", "4", "--json"};
  std::vector<std::string> told = arguments;
  told.insert(told.end(), {"--earlier", kTile});
  const Finished alone = run_harness(arguments), helped = run_harness(told);
  REQUIRE(alone.status == 0);
  REQUIRE(helped.status == 0);
  CHECK(helped.lines()[0]["score"].get<double>() > alone.lines()[0]["score"].get<double>());
  CHECK(helped.lines()[0]["score"].get<double>() > 0.8);
}

TEST_CASE("simulate refuses what it cannot read in a sentence") {
  CHECK_THAT(run_harness({"simulate", "nowhere.json"}).err, Catch::Contains("there is no file 'nowhere.json'"));
  CHECK_THAT(run_harness({"simulate", kTile, "--search", "hilclimb"}).err, Catch::Contains("did you mean 'hillclimb'"));
  CHECK(run_harness({"simulate", kTile, "--repeats", "0"}).status == 2);
}

TEST_CASE("a recorded space is imported as a campaign that can be asked about, once") {
  const Scratch scratch;
  for (const char* file : {"tile.json", "tile_t4.json"}) {
    CAPTURE(file);
    const std::string path = std::string(HARNESS_SOURCE_DIR) + "/tests/fixtures/spaces/" + file;
    const Finished added = run_harness({"import", path, "--db", scratch.path(file)});
    INFO(added.err);
    REQUIRE(added.status == 0);
    CHECK_THAT(added.err, Catch::Contains("1 campaign with 90 iterations added"));
    CHECK_THAT(run_harness({"import", path, "--db", scratch.path(file)}).err, Catch::Contains("1 there already"));
    const Finished asked = run_harness({"query",
                                        "SELECT outcome, COUNT(*) AS n, MIN(time_ns) AS best FROM iteration GROUP BY "
                                        "outcome ORDER BY outcome",
                                        "--format", "json", "--db", scratch.path(file)});
    REQUIRE(asked.status == 0);
    const json rows = parse_json(asked.out);
    REQUIRE(rows.size() == 3);
    CHECK(rows[0]["outcome"] == "compile_error");
    CHECK(rows[2]["outcome"] == "passed");
    CHECK(rows[2]["n"] == 83);
    CHECK(rows[2]["best"].get<double>() == Approx(1.01e6));
    // and what it exports is a space again
    REQUIRE(run_harness({"export", scratch.path("out.jsonl"), "--db", scratch.path(file)}).status == 0);
    const Finished simulated =
        run_harness({"simulate", scratch.path("out.jsonl"), "--search", "random", "--repeats", "1", "--json"});
    INFO(simulated.err);
    REQUIRE(simulated.status == 0);
    CHECK(simulated.lines()[0]["configurations"] == 90);
  }
}

TEST_CASE("scores are those of the reference, score.py") {
  const std::string folder = shared_spaces();
  if (folder.empty()) return skip("the shared spaces are not here; set HARNESS_SPACES to their folder");
  if (std::system("python3 -c pass > /dev/null 2>&1") != 0) return skip("there is no python3 to run score.py with");
  const Scratch scratch;
  const std::string space = folder + "/legacy_pnpoly/RTX_3090.json.gz";
  const std::string traces = scratch.path("traces.jsonl"), scores = scratch.path("scores.json");
  const Finished ours =
      run_harness({"simulate", space, "--search", "hillclimb", "--repeats", "5", "--trace", traces, "--json"});
  INFO(ours.err);
  REQUIRE(ours.status == 0);
  REQUIRE(std::system(("python3 '" + folder + "/score.py' '" + traces + "' '" + space + "' --json > '" + scores + "'")
                          .c_str()) == 0);
  std::ifstream file(scores);
  const json theirs = json::parse(file)["hillclimb"]["spaces"]["legacy_pnpoly/RTX_3090"];
  const json result = ours.lines()[0];
  for (std::size_t i = 0; i < 5; ++i)
    CHECK(std::abs(result["per_seed"][i].get<double>() - theirs["per_seed"][i].get<double>()) < 1e-9);
  CHECK(std::abs(result["score"].get<double>() - theirs["P"].get<double>()) < 1e-9);
  CHECK(result["budget_s"].get<double>() == Approx(theirs["budget_s"].get<double>()).epsilon(1e-12));
}
