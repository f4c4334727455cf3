#include "harness/service/fitness.h"

#include <catch2/catch.hpp>

#include "tests/support/program.h"
#include "tests/support/turns.h"

// `harness eval --json` as the number that a search of another's making asks for.
using namespace harness;
using namespace harness::tests;

TEST_CASE("a score is the speedup of what passed, nothing of what did not, and unknown without a baseline") {
  json passed = {{"outcome", "passed"}, {"time_ns", 500.0}, {"baseline_ns", 1000.0}, {"speedup", nullptr}};
  add_fitness(passed);
  CHECK(passed["score"] == 2.0);
  CHECK(passed["speedup"] == 2.0);
  CHECK_THAT(passed["feedback"].get<std::string>(), Catch::Contains("2x as fast"));
  json alone = {{"outcome", "passed"}, {"time_ns", 500.0}, {"baseline_ns", nullptr}, {"speedup", nullptr}};
  add_fitness(alone);
  CHECK(alone["score"].is_null());
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
