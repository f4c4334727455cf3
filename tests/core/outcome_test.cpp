#include "harness/core/outcome.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

using namespace harness;

TEST_CASE("every outcome has the word that the command line promises") {
  REQUIRE(outcome_name(Passed{}) == "passed");
  REQUIRE(outcome_name(CompileError{}) == "compile_error");
  REQUIRE(outcome_name(LaunchError{}) == "launch_error");
  REQUIRE(outcome_name(WrongAnswer{}) == "wrong_answer");
  REQUIRE(outcome_name(Rejected{}) == "rejected");
  REQUIRE(outcome_name(NoEffect{}) == "no_effect");
  REQUIRE(outcome_name(Abandoned{}) == "abandoned");
  REQUIRE(outcome_name(Screened{}) == "screened");
  REQUIRE(outcome_name(Unsupported{}) == "unsupported");
  REQUIRE(outcome_name(Crashed{}) == "crashed");
  REQUIRE(outcome_name(TimedOut{}) == "timed_out");
  REQUIRE(outcome_name(OutOfMemory{}) == "out_of_memory");
  REQUIRE(outcome_name(Interrupted{}) == "interrupted");
}

TEST_CASE("an error says stage, class and one sentence") {
  REQUIRE(error_json(Passed{}).is_null());
  REQUIRE(error_json(Screened{}).is_null());
  const json compile =
      error_json(CompileError{"k.cu: In function 'f':\n  k.cu(3): error: no such name\nk.cu(9): error: b\n"});
  REQUIRE(compile == json{{"stage", "build"},
                          {"class", "compile_error"},
                          {"message", "k.cu(3): error: no such name"},
                          {"first_bad", nullptr}});
  REQUIRE(error_json(CompileError{"\n"})["message"] == "the compiler failed and said nothing");
  REQUIRE(error_json(Rejected{"guard-zones", "wrote past y"})["class"] == "guard-zones");
  REQUIRE(error_json(Crashed{CrashKind::trap, "trap in k"})["class"] == "trap");
  REQUIRE(error_json(TimedOut{1.5, "timing"})["message"] == "did not end within its deadline of 1.5 s");
  REQUIRE(error_json(TimedOut{1.5, "timing"})["stage"] == "timing");
  REQUIRE(error_json(NoEffect{17})["message"] == "its machine code is that of iteration 17");
}

TEST_CASE("a wrong answer shows its first bad element, NaN included, and reads back") {
  const FirstBad bad{"o", {1, 2}, 0.5, std::nan(""), std::numeric_limits<std::int64_t>::max()};
  const json j = parse_json(json_text(error_json(WrongAnswer{"finite: 1 element", bad, "all rows"})));
  REQUIRE(j["first_bad"]["got"] == "nan");
  REQUIRE(j["fingerprint"] == "all rows");
  const auto copy = j["first_bad"].get<FirstBad>();
  REQUIRE(copy.index == bad.index);
  REQUIRE(copy.expected == 0.5);
  REQUIRE(std::isnan(copy.got));
  REQUIRE(copy.ulp == bad.ulp);
  REQUIRE(json(FirstBad{"o", {}, -INFINITY, 1, 0}).get<FirstBad>().expected == -INFINITY);
}

TEST_CASE("a verdict passes only when all its gates do") {
  Verdict verdict;
  verdict.gates = {{"finite", true, ""}, {"written", true, ""}};
  REQUIRE(verdict.passed());
  verdict.gates.push_back({"relative-l2:o", false, ""});
  REQUIRE_FALSE(verdict.passed());
}

TEST_CASE("crash kinds and comparisons print as their JSON") {
  for (const CrashKind kind :
       {CrashKind::illegal_access, CrashKind::trap, CrashKind::assertion, CrashKind::barrier_deadlock,
        CrashKind::signal, CrashKind::killed, CrashKind::device_lost, CrashKind::unknown}) {
    REQUIRE(json(kind) == std::string(name(kind)));
  }
  for (const Comparison c : {Comparison::faster, Comparison::slower, Comparison::same}) {
    REQUIRE(json(c) == std::string(name(c)));
  }
}
