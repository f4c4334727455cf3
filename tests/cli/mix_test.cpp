#include <catch2/catch.hpp>
#include <map>

#include "tests/support/program.h"

// Workloads from models, and from what a deployment calls, as a person asks for them.
using namespace harness;
using namespace harness::tests;

namespace {

/// The workloads of a dry run, with their weights.
std::map<std::string, double> planned_weights(const std::vector<std::string>& more) {
  const Scratch scratch;
  std::vector<std::string> words{"run", "vector_scale", "--device", "cpu", "--dry-run", "--json", "--db", scratch.db()};
  words.insert(words.end(), more.begin(), more.end());
  const Finished finished = run_harness(words);
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  std::map<std::string, double> weights;
  const json plan = finished.lines().at(0);
  for (const json& arm : plan.at("arms")) weights[arm.at("id").at("workload")] = arm.at("weight");
  return weights;
}

std::string mix_complaint(const Scratch& scratch, const std::string& text) {
  scratch.write("mix.txt", text);
  const Finished finished =
      run_harness({"run", "vector_scale", "--device", "cpu", "--mix", scratch.path("mix.txt"), "--budget", "1s"});
  CHECK(finished.status == 2);
  return finished.err;
}

}  // namespace

TEST_CASE("a mix names shapes and workloads, and weighs them by their calls, however they are written") {
  const Scratch scratch;
  scratch.write("mix.txt", "# a day\nN=4096 dtype=f32, 3\n\nn1m_f16, 1e3  # by name\ndtype=f32 N=4096, 2\n");
  CHECK(planned_weights({"--mix", scratch.path("mix.txt")}) ==
        std::map<std::string, double>{{"N=4096 dtype=f32", 5}, {"N=1048576 dtype=f16", 1000}});
}

TEST_CASE("a mix with a mistake is refused with file and line") {
  const Scratch scratch;
  CHECK_THAT(mix_complaint(scratch, "N=1\n"), Catch::Contains("mix.txt:1: a line is SHAPE, CALLS"));
  CHECK_THAT(mix_complaint(scratch, "N=1, 2\nN=2, -3\n"), Catch::Contains("mix.txt:2: a line is SHAPE, CALLS"));
  CHECK_THAT(mix_complaint(scratch, "n1m_f61, 2\n"), Catch::Contains("did you mean 'n1m_f16'"));
  CHECK_THAT(mix_complaint(scratch, "M=4, 2\n"), Catch::Contains("mix.txt:1: shape 'M=4': kernel"));
  CHECK_THAT(mix_complaint(scratch, "# nothing\n"), Catch::Contains("names no shape"));
}

TEST_CASE("a model's phases and names are completed, and its shapes shown for each kernel") {
  CHECK(run_harness({"__complete", "run", "attention", "--model", ""}).out.find("llama-3.1-70b\n") !=
        std::string::npos);
  CHECK(run_harness({"__complete", "models", "bert-base", "--phase", ""}).out == "encoder\n");
  const Finished shown = run_harness({"models", "llama-3.1-70b", "--phase", "decode", "--batch", "16", "--json"});
  const json model = shown.lines().at(0);
  CHECK(model.at("heads") == 64);
  std::map<std::string, int> shapes;
  for (const json& shape : model.at("shapes")) ++shapes[shape.at("kernel")];
  CHECK(shapes == std::map<std::string, int>{{"attention", 1}, {"gemm", 5}, {"paged_decode", 1}, {"rmsnorm_int8", 1}});
}
