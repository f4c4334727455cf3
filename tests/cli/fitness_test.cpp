#include "harness/service/fitness.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// `harness eval --json` as the number that a search of another's making asks for.
using namespace harness;
using namespace harness::tests;

TEST_CASE("eval --lines answers each line with a score, twins with their twin's, and what names nothing with why") {
  const Scratch scratch;
  std::ostringstream text;
  text << std::ifstream(std::string(HARNESS_SOURCE_DIR) + "/kernels/vector_scale/variants/10_vector.cu").rdbuf();
  const std::string source = text.str();
  std::string wrong = source;
  wrong.replace(wrong.find("blockIdx.x"), 10, "(blockIdx.x + 1)");
  std::string lines;
  for (const json& line : {json{{"id", "first"}, {"variant", "10_vector"}, {"params", {{"BLOCK", 128}}}},
                           json{{"id", 2}, {"variant", "10_vector"}, {"params", {{"BLOCK", 100}}}},
                           json{{"id", 3}, {"variant", "10_vector"}, {"source", wrong}},
                           json{{"id", 4}, {"variant", "10_vector"}, {"source", source + "// the end\n"}},
                           json{{"id", 5}, {"variant", "10_vector"}, {"sauce", "spelt wrongly"}}})
    lines += line.dump() + "\n";
  scratch.write("lines.jsonl", lines + "no json\n");
  const Finished finished =
      run_program({"sh", "-c",
                   std::string("exec '") + HARNESS_BINARY +
                       "' eval vector_scale --lines --veil --workload odd_n1003_f32 --device cpu --db '" +
                       scratch.db() + "' < '" + scratch.path("lines.jsonl") + "'"},
                  HARNESS_SOURCE_DIR, {"HARNESS_CACHE=" + build_cache()});
  INFO(finished.err);
  CHECK(finished.status == 1);  // not all were right
  const std::vector<json> answers = finished.lines();
  REQUIRE(answers.size() == 6);
  const json &first = answers[0], &unknown = answers[1], &bad = answers[2], &twin = answers[3];
  CHECK(first["id"] == "first");
  CHECK(first["score"].get<double>() > 0);
  CHECK(first["evaluations"][0]["from_record"] == false);
  CHECK(unknown["outcome"] == "refused");
  CHECK_THAT(unknown["feedback"].get<std::string>(), Catch::Contains("'BLOCK' has no value 100"));
  CHECK(bad["outcome"] == "wrong_answer");
  CHECK(bad["score"] == 0);
  CHECK_FALSE(bad["evaluations"][0].contains("gates"));  // --veil
  CHECK(twin["evaluations"][0]["from_record"] == true);
  CHECK(twin["score"] == first["score"]);
  CHECK_THAT(answers[4]["feedback"].get<std::string>(), Catch::Contains("no key 'sauce'"));
  CHECK(answers[5]["id"].is_null());
}

TEST_CASE("a score is the speedup of what passed, nothing of what did not, and unknown without a baseline") {
  json passed = {{"outcome", "passed"}, {"time_ns", 500.0}, {"baseline_ns", 1000.0}, {"speedup", nullptr}};
  add_fitness(passed);
  CHECK(passed["score"] == 2.0);
  CHECK(passed["speedup"] == 2.0);
  CHECK_THAT(passed["feedback"].get<std::string>(), Catch::Contains("2x as fast"));
  json alone = {{"outcome", "passed"}, {"time_ns", 500.0}, {"baseline_ns", nullptr}, {"speedup", nullptr}};
  add_fitness(alone);
  CHECK(alone["score"].is_null());
  json slower = {{"outcome", "screened"}, {"time_ns", 2000.0}, {"baseline_ns", 1000.0}, {"speedup", nullptr}};
  add_fitness(slower);
  CHECK(slower["score"] == 0.5);
  CHECK_THAT(slower["feedback"].get<std::string>(), Catch::Contains("as far as it was tried"));
  json wrong = {{"outcome", "wrong_answer"},
                {"error", {{"message", "y[3] is 0, with seed 4711, values 12, tolerance 0.001"}}},
                {"speedup", nullptr}};
  add_fitness(wrong);
  CHECK(wrong["score"] == 0);
  const std::string told = wrong["feedback"];
  CHECK_THAT(told, Catch::Contains("wrong_answer: y[3] is 0") && !Catch::Contains("4711") && !Catch::Contains("0.001"));
}

TEST_CASE("eval --json has its score from the recorded baseline, and answers from the record on request") {
  if (!is_nightly()) return;
  const Scratch scratch;
  const auto eval = [&](const std::string& variant, std::vector<std::string> more) {
    std::vector<std::string> words{"eval",       "vector_scale",  variant,  "--device", "cpu",
                                   "--workload", "odd_n1003_f32", "--json", "--db",     scratch.db()};
    words.insert(words.end(), more.begin(), more.end());
    const Finished finished = run_harness(words);
    INFO(finished.err);
    return finished.lines().at(0);
  };
  CHECK(eval("10_vector", {}).at("score").is_null());
  const json base = eval("00_naive", {});
  const json first = eval("10_vector", {"-p", "BLOCK=128", "--veil", "--feedback"});
  CHECK(first.at("score") == first.at("speedup"));
  CHECK_THAT(first.at("feedback").get<std::string>(), Catch::Contains("It is made of:"));
  CHECK_FALSE(first.contains("gates"));
  const json again = eval("10_vector", {"-p", "BLOCK=128", "--reuse"});
  CHECK(again.at("from_record") == true);
  CHECK(again.at("iteration") == first.at("iteration"));
  CHECK(again.at("score") == first.at("score"));
}
