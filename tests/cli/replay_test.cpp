#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/turns.h"

using namespace harness;
using namespace harness::tests;

namespace {

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

json replayed(const std::vector<std::string>& arguments) {
  std::vector<std::string> all{"replay"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  all.emplace_back("--json");
  const Finished finished = run_harness(all);
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  REQUIRE(finished.lines().size() == 1);
  return finished.lines()[0];
}

}  // namespace

TEST_CASE("a whole recorded space answers any strategy, and the store is only read") {
  if (is_nightly()) return;
  const Scratch scratch;
  const std::string db = scratch.db();
  REQUIRE(
      run_harness({"run", "vector_scale", "--device", "cpu", "--emulated", "--workload", "odd_n1003_f32,odd_n1003_f16",
                   "--strategy", "exhaustive", "--search", "exhaustive", "--db", db, "--quiet"})
          .status == 0);
  const std::string before = bytes_of(db);

  const json again = replayed({"1", "--strategy", "exhaustive", "--db", db});
  CHECK(again.at("parting").is_null());
  CHECK(again.at("replayed").at("score") == again.at("recorded").at("score"));
  CHECK(again.at("replayed").at("evaluations") == again.at("recorded").at("evaluations"));

  const json other = replayed({"1", "--strategy", "roi", "--search", "random", "--seed", "7", "--db", db});
  const json& answers = other.at("answers");
  CHECK(answers.at("recorded") > 0);
  CHECK(answers.at("stand_ins") == 0);
  CHECK(answers.at("unanswered") == 0);
  CHECK(answers.at("ended_arms").empty());
  CHECK(other.at("replayed").at("strategy") == "roi");
  CHECK(other == replayed({"1", "--strategy", "roi", "--search", "random", "--seed", "7", "--db", db}));

  const Finished report = run_harness({"replay", "1", "--strategy", "roi", "--db", db});
  for (const char* part : {"score", "where the time went", "evaluations", "why, recorded", "why, replayed", "roi"}) {
    INFO(part);
    CHECK(report.out.find(part) != std::string::npos);
  }

  const std::string file = scratch.path("campaign.jsonl");
  REQUIRE(run_harness({"export", file, "--lean", "--db", db}).status == 0);
  CHECK(replayed({file, "--strategy", "roi", "--search", "random", "--seed", "7"}).at("replayed") ==
        other.at("replayed"));
  CHECK(bytes_of(db) == before);
}

TEST_CASE("a campaign that people wrote down is imported, and can be asked like any other") {
  const Scratch scratch;
  const std::string db = scratch.db(), file = "bench/seeds/campaign.jsonl";
  REQUIRE(run_harness({"import", file, "--db", db}).status == 0);
  const Finished asked =
      run_harness({"query", "--format", "json", "--db", db,
                   "SELECT i.variant, i.technique, i.outcome, i.speedup, i.usd, p.minutes, p.predict_minutes_hi "
                   "FROM v_iterations i JOIN v_predictions p USING (iteration) ORDER BY iteration"});
  INFO(asked.err);
  REQUIRE(asked.status == 0);
  const json rows = parse_json(asked.out);
  const json sittings = parse_json(bytes_of(HARNESS_SOURCE_DIR "/bench/seeds/campaign.json")).at("sittings");
  REQUIRE(rows.size() == sittings.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json &row = rows[i], &sitting = sittings[i];
    INFO(sitting.at("iteration"));
    CHECK(row.at("variant") == sitting.at("iteration"));
    CHECK(row.at("technique") == sitting.at("technique"));
    CHECK(row.at("minutes") == sitting.at("minutes"));
    CHECK(row.at("outcome") == (sitting.at("outcome") == "unmeasured" ? "interrupted" : sitting.at("outcome")));
    const bool of_two_workloads = sitting.contains("over_workload");
    if (sitting.at("outcome") == "passed" && !of_two_workloads) CHECK(row.at("speedup") == sitting.at("speedup"));
    else CHECK(row.at("speedup").is_null());  // a wrong answer, or times of two workloads: no speedup
    const json predicted = sitting.value("predicted_minutes", json());
    CHECK(row.at("predict_minutes_hi") == (predicted.is_array() ? predicted.at(1) : predicted));
    double usd = 0;
    for (const json& part : sitting.at("usd")) usd += part.is_null() ? 0 : part.get<double>();
    CHECK(row.at("usd").get<double>() == Approx(usd).margin(1e-9));
  }
  const Finished refused = run_harness({"replay", file});
  CHECK(refused.status == 2);
  CHECK(refused.err.find("holds no campaign of harness run") != std::string::npos);
}

TEST_CASE("what cannot be replayed is refused in a sentence") {
  const Scratch scratch;
  scratch.write("other.jsonl", "nothing of ours\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals{
      {{"replay", "nosuch"}, "'nosuch' is no file, and "},
      {{"replay", scratch.path("other.jsonl")}, "other.jsonl"},
      {{"replay", "1", "--db", scratch.path("absent.db")}, "absent.db"},
      {{"replay", "bench/h200/experiments.jsonl", "--strategy", "rio"}, "did you mean 'roi'"},
  };
  for (const auto& [arguments, sentence] : refusals) {
    const Finished finished = run_harness(arguments);
    INFO(sentence << " | " << finished.err);
    CHECK(finished.status == 2);
    CHECK(finished.err.find(sentence) != std::string::npos);
    CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
    CHECK(finished.out.empty());
  }
}
