#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/program.h"

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
  const Scratch scratch;
  const std::string db = scratch.db();
  REQUIRE(run_harness({"run", "vector_scale", "--device", "cpu", "--strategy", "exhaustive", "--search", "exhaustive",
                       "--db", db, "--quiet"})
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

TEST_CASE("the seeds' campaign is replayed by its name, by its file and under another strategy's rules") {
  const json seeds = replayed({"seeds"});
  CHECK(seeds.at("sittings").size() == 20);
  CHECK(seeds.at("strategy") == "seeds");
  std::vector<std::string> ended;
  for (const json& firing : seeds.at("firings"))
    if (firing.at("rule") == "time-overrun") ended.push_back(firing.at("iteration"));
  CHECK(ended == std::vector<std::string>{"N+2", "N+3", "It1"});
  json by_file = replayed({"strategies/seeds/campaign.json"});
  by_file["file"] = seeds.at("file");
  CHECK(by_file == seeds);
  CHECK(replayed({"seeds", "--strategy", "roi"}).at("strategy") == "roi");
}

TEST_CASE("what cannot be replayed is refused in a sentence") {
  const Scratch scratch;
  scratch.write("text.json", "{\"harness_chronicle\": 1, \"name\": \"x\"}");
  scratch.write("other.jsonl", "nothing of ours\n");
  const std::vector<std::pair<std::vector<std::string>, std::string>> refusals{
      {{"replay", "nosuch"}, "neither a campaign's number nor a file"},
      {{"replay", "seeds", "--budget", "5m"}, "have no search"},
      {{"replay", scratch.path("text.json")}, "has no 'kernel'"},
      {{"replay", scratch.path("other.jsonl")}, "other.jsonl"},
      {{"replay", "1", "--db", scratch.path("absent.db")}, "absent.db"},
      {{"replay", "seeds", "--strategy", "rio"}, "did you mean 'roi'"},
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
