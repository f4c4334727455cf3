#include <catch2/catch.hpp>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

const char* const kTwoEntries = R"(
namespace ns {
namespace {
__constant__ float weights[3][2];
}
}
__constant__ float spare[4] = {1, 2, 3, 4};
static __constant__ int chosen;
__constant__ const float fixed[2] = {5, 6};

__global__ void add(float* y) {
  const int i = threadIdx.x;
  y[i] = ns::weights[i / 2][i % 2] + spare[i % 4] + chosen + fixed[i % 2];
}
__global__ void spoil(float* y) {
  if (threadIdx.x == 0) const_cast<float&>(spare[3]) = y[0];
}
)";

BuildSpec spec_with(const std::vector<std::string>& constants) {
  BuildSpec spec = spec_of(kTwoEntries, {"add", "spoil"});
  spec.constants = constants;
  return spec;
}

Artifact built_with(const std::vector<std::string>& constants) {
  const BuildResult result = build(spec_with(constants));
  if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
  return std::get<Artifact>(result);
}

/// A bench over six floats of `w`, two of `few`, and an int by value.
Bench bench_with(const Artifact& artifact, const std::vector<ConstantTable>& constants) {
  Bench bench(artifact);
  bench.buffer<float>("w", {10, 20, 30, 40, 50, 60}).buffer<float>("few", {100, 200});
  bench.buffer<float>("y", std::vector<float>(6));
  Executable& executable = bench.executable();
  for (const char* name : {"w", "few", "y"}) executable.problem.arguments.push_back({.name = name});
  executable.problem.arguments.push_back(
      {.name = "number", .kind = ArgumentKind::scalar, .dtype = Dtype::s32, .value = std::int64_t{1000}});
  executable.plan.constants = constants;
  return bench;
}

const std::vector<ConstantTable> kFilled{{"ns::weights", "w"}, {"spare", "few"}, {"chosen", "number"}};

}  // namespace

TEST_CASE("__constant__ variables hold what fills them, and beyond it what they held") {
  const Artifact artifact = built_with({"ns::weights", "spare", "chosen"});
  CHECK(artifact.globals.empty());
  Bench bench = bench_with(artifact, kFilled);
  bench.run("add", {1}, {6}, {named("y")});
  CHECK(bench.read<float>("y") == std::vector<float>{1115, 1226, 1038, 1050, 1155, 1266});
}

TEST_CASE("a launch that changes a filled variable is a fault") {
  Bench bench = bench_with(built_with({"ns::weights", "spare", "chosen"}), kFilled);
  CHECK(fault_of([&] { bench.run("spoil", {1}, {32}, {named("y")}); }) ==
        "illegal_access: a launch has changed spare, which is __constant__ memory");
}

TEST_CASE("what is not filled, or too small, or not there is told in one sentence") {
  CHECK(built_with({"ns::weights"}).globals == std::vector<std::string>{"spare"});
  for (const char* symbol : {"nothing", "fixed", "add"}) {
    const BuildResult result = build(spec_with({symbol}));
    REQUIRE(std::holds_alternative<CompileFailure>(result));
    CHECK_THAT(std::get<CompileFailure>(result).log,
               Catch::StartsWith(std::string("kernel.cu: error: the source has no __constant__ variable '") + symbol));
  }
  Bench bench = bench_with(built_with({"chosen"}), {{"chosen", "w"}});
  REQUIRE_THROWS_WITH(bench.run("add", {1}, {6}, {named("y")}),
                      "chosen has 4 bytes and is filled from 'w', which has 24");
}

}  // namespace harness::test
