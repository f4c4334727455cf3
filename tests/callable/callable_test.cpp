#include <unistd.h>

#include <catch2/catch.hpp>
#include <functional>
#include <thread>

#include "harness/callable/catalog.h"
#include "harness/callable/evaluator.h"
#include "harness/callable/line.h"
#include "harness/callable/trial.h"
#include "harness/core/error.h"
#include "harness/core/generators.h"
#include "harness/system/pipe.h"

using namespace harness;
using namespace harness::callable;

namespace {

json a_question() {
  return json::parse(R"({"schema": 1, "name": "scale", "device": "dev:0", "device_name": "A processor",
    "program": "Python 3", "compile_source": "c", "baseline_source": "b",
    "arguments": [{"name": "x", "kind": "input", "dtype": "f32", "shape": [4, 8]},
                  {"name": "result", "kind": "output", "dtype": "f32", "shape": [4, 8]}],
    "parameters": [{"name": "A", "values": [1, 2, 3]}, {"name": "B", "values": ["x", "y"]}]})");
}

std::string refusal_of(const json& question) {
  try {
    read_question(question);
  } catch (const Error& error) {
    CHECK(error.exit_status() == 2);
    return error.what();
  }
  return "";
}

/// A caller that answers by a script.
class Caller {
 public:
  explicit Caller(std::function<json(const json& asked)> script)
      : script_(std::move(script)),
        line(to_program_.read_end.get(), to_caller_.write_end.get(), [] { return false; }),
        thread_([this] { work(); }) {}
  ~Caller() {
    to_caller_.write_end.reset();
    thread_.join();
  }
  std::vector<json> asked;

 private:
  void work() {
    std::string pending;
    for (char c = 0; read(to_caller_.read_end.get(), &c, 1) == 1;) {
      if (c != '\n') {
        pending += c;
        continue;
      }
      const json question = json::parse(pending);
      pending.clear();
      asked.push_back(question);
      json answer = script_(question);
      if (answer.is_null()) break;
      answer["id"] = question["id"];
      const std::string text = answer.dump() + "\n";
      if (write(to_program_.write_end.get(), text.data(), text.size()) < 0) break;
    }
    to_program_.write_end.reset();
  }
  std::function<json(const json&)> script_;
  Pipe to_caller_, to_program_;

 public:
  Line line;

 private:
  std::thread thread_;
};

Admission admitted() {
  Admission admission;
  admission.passed = true;
  for (const char* form : {"nominal", "spikes"})
    admission.tolerances.push_back({"", form, "result", 1e-7, 1e-4, 2e-6, "derived"});
  return admission;
}

/// Samples of a contender, each `ns` and a little more.
json samples(double ns) {
  json list = json::array();
  for (int i = 0; i < 20; ++i) list.push_back(ns + i * ns * 1e-4);
  return {{"rotating_ns", list}, {"calls_per_sample", 3}, {"input_sets", 2}, {"method", "by hand"}};
}

struct Evaluated {
  Evaluation evaluation;
  std::vector<json> asked;
};

Evaluated evaluate(const std::function<json(const json&)>& script, bool beside) {
  const Question question = read_question(a_question());
  CallableKernel kernel(question);
  const std::string workload = kernel.info().workloads.front().name;
  const Admission admission = admitted();
  EvaluationRequest request;
  request.realized = kernel.realize({"scale", kCompiled, "configuration", {{"A", std::int64_t{2}}, {"B", "x"}}},
                                    workload, device_of(question));
  request.admission = &admission;
  request.screen = true;
  if (beside) {
    request.incumbent =
        Incumbent{kernel.realize({"scale", kBaseline, "baseline", {}}, workload, device_of(question)), 100, 1.0};
    request.baseline_ns = 100;
  }
  Caller caller(script);
  CallableEvaluator evaluator(question, caller.line, std::nullopt, 1, [](const std::string&) {});
  Evaluated done{evaluator.evaluate(request), {}};
  done.asked = caller.asked;
  return done;
}

std::function<json(const json&)> timed_as(double own, double other) {
  return [=](const json& asked) -> json {
    if (asked["ask"] != "time") return {{"gates", {{{"name", "finite"}, {"passed", true}, {"detail", ""}}}}};
    json answer{{"samples", {samples(own)}}};
    if (asked.contains("beside")) answer["samples"].push_back(samples(other));
    return answer;
  };
}

}  // namespace

TEST_CASE("a callable's space is every combination of its values, or what its caller lists") {
  json question = a_question();
  CHECK(read_question(question).points.size() == 6);
  question["points"] = json::parse("[[0, 1], [2, 0]]");
  const Question read = read_question(question);
  CallableKernel kernel(read);
  const Space space = kernel.space(kCompiled, "", device_of(read));
  CHECK(to_text(configuration(space, 1)) == "A=3 B=x");
  CHECK(workload_name(read) == "f32[4x8]");
  CHECK(kernel.space(kBaseline, "", device_of(read)).points.size() == 1);
}

TEST_CASE("what a caller says of itself is not trusted") {
  const auto changed = [](const char* place, const json& value) {
    json question = a_question();
    question[json::json_pointer(place)] = value;
    return refusal_of(question);
  };
  CHECK_THAT(changed("/schema", 2), Catch::Contains("\"schema\": 1"));
  CHECK_THAT(changed("/name", "a b; rm"), Catch::Contains("letters, digits"));
  CHECK_THAT(changed("/arguments/0/dtype", "f33"), Catch::Contains("'f33', which is not known"));
  CHECK_THAT(changed("/arguments/0/shape", {-1}), Catch::Contains("the shape of 'x' is wrong"));
  CHECK_THAT(changed("/arguments/0/shape", {1e9, 1e9}), Catch::Contains("the shape of 'x' is wrong"));
  CHECK_THAT(changed("/arguments/0/shape", {1u << 30, 1u << 30}), Catch::Contains("too large"));
  CHECK_THAT(changed("/arguments/1/tolerance", 2), Catch::Contains("between 0 and 1"));
  CHECK_THAT(changed("/parameters/0/values", {1, 1.0}), Catch::Contains("has the value 1 twice"));
  CHECK_THAT(changed("/parameters/0/name", "Z"), Catch::Contains("not sorted"));
  CHECK_THAT(changed("/points", json::parse("[[0]]")), Catch::Contains("a wrong length"));
  CHECK_THAT(changed("/points", json::parse("[[0, 7]]")), Catch::Contains("a value that is not there"));
  CHECK_THAT(refusal_of(json::array()), Catch::Contains("no JSON object"));
}

TEST_CASE("what is faster than the incumbent meets the other forms; what is not is screened") {
  const Evaluated faster = evaluate(timed_as(50, 100), true);
  REQUIRE(std::holds_alternative<Passed>(faster.evaluation.outcome));
  const Timing& timing = std::get<Passed>(faster.evaluation.outcome).timing;
  CHECK(timing.speedup == Approx(2).epsilon(0.01));
  CHECK(timing.verdict == Comparison::faster);
  CHECK(timing.time_lo_ns < timing.time_ns);
  CHECK(timing.samples.method == "by hand");
  REQUIRE(faster.asked.size() == 3);
  CHECK(faster.asked[2]["forms"] == json{"spikes"});
  CHECK(faster.asked[0]["compare"]["nominal"]["result"]["tolerance"] > 0);
  const Evaluated slower = evaluate(timed_as(130, 100), true);
  CHECK(std::holds_alternative<Screened>(slower.evaluation.outcome));
  CHECK(slower.asked.size() == 2);
  for (const Evaluated* each : {&faster, &slower}) {
    CHECK(each->evaluation.gates.front().name == "confinement");
    CHECK_FALSE(each->evaluation.gates.front().checked);
    CHECK_THAT(each->evaluation.gates.front().detail, Catch::Contains("caller's own process"));
  }
}

TEST_CASE("a caller's failures are outcomes, and its end is an interrupt") {
  const auto fails = [](const json& failure) {
    return evaluate([=](const json&) { return json{{"failure", failure}}; }, false).evaluation.outcome;
  };
  CHECK(std::get<CompileError>(fails({{"kind", "compile_error"}, {"log", "no"}})).log == "no");
  CHECK(std::get<Rejected>(fails({{"kind", "rejected"}, {"gate", "timed-launch"}})).gate == "timed-launch");
  const auto wrong = std::get<WrongAnswer>(
      fails({{"kind", "wrong_answer"},
             {"message", "m"},
             {"first_bad", {{"argument", "result"}, {"index", {1, 2}}, {"expected", 1}, {"got", nullptr}}}}));
  CHECK(wrong.first_bad->index == std::vector<std::int64_t>{1, 2});
  CHECK(std::isnan(wrong.first_bad->got));
  CHECK(std::holds_alternative<Interrupted>(evaluate([](const json&) { return json(); }, false).evaluation.outcome));
  CHECK_THROWS_AS(fails({{"kind", "won"}}), Error);
  CHECK_THROWS_AS(evaluate(timed_as(-1, 1), false), Error);
}

TEST_CASE("a trial derives tolerances between honest and impostor, and refuses a mutant that passes") {
  const auto tried = [](const std::string& caught_by, double impostor) {
    Caller caller([=](const json& asked) -> json {
      if (asked["ask"] == "trial")
        return {{"found",
                 {{{"form", "nominal"}, {"output", "result"}, {"honest", 1e-7}, {"impostor", impostor}},
                  {{"form", "spikes"}, {"output", "result"}, {"honest", nullptr}, {"impostor", 1}}}}};
      return {{"mutants", {{{"mutant", "scaled by 1.01"}, {"output", "result"}, {"caught_by", caught_by}}}}};
    });
    const Question question = read_question(a_question());
    CallableKernel kernel(question);
    return try_gates(kernel.problem(""), "hash", device_of(question), 1, caller.line);
  };
  const Admission admission = tried("relative-l2:result", 1e-3);
  CHECK(admission.passed);
  CHECK(usable_forms(admission) == std::vector<std::string>{"nominal"});  // the other one is not finite
  const double tolerance = admission.tolerances.front().tolerance;
  CHECK(tolerance > 1e-7);
  CHECK(tolerance < 1e-3);
  const Admission loose = tried("", 1e-3);
  CHECK_FALSE(loose.passed);
  CHECK_THAT(loose.problems.front(), Catch::Contains("passes for right"));
}
