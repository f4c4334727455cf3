#include "harness/core/plan.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"

using namespace harness;

TEST_CASE("a plan survives JSON text with every kind of step and argument") {
  Launch launch{
      "scale<float,4>", {3, 2, 1}, {128}, {2}, 4096, true, {NamedArgument{"x", 16}, ScalarArgument{Dtype::f32, 0.5}}};
  Plan plan{{launch, Memset{"counters", 8, 64, 255}, LibraryCall{"cublas", "gemm", {{"m", 4}}}},
            {{"counters", 1024, 128, true}}};
  const json j = plan;
  REQUIRE(j["steps"][0]["launch"]["args"][0] == json{{"name", "x"}, {"offset", 16}});
  REQUIRE(j["steps"][0]["launch"]["args"][1] == json{{"dtype", "f32"}, {"value", 0.5}});
  const auto copy = parse_json(json_text(j)).get<Plan>();
  REQUIRE(json(copy) == j);
  const auto& copied = std::get<Launch>(copy.steps.at(0));
  REQUIRE(copied.grid == Dim3{3, 2, 1});
  REQUIRE(copied.cooperative);
  REQUIRE(std::get<NamedArgument>(copied.args.at(0)).offset == 16);
  REQUIRE(std::get<ScalarArgument>(copied.args.at(1)).value == Value{0.5});
  REQUIRE(std::get<Memset>(copy.steps.at(1)).value == 255);
  REQUIRE(std::get<LibraryCall>(copy.steps.at(2)).operation == "gemm");
  REQUIRE(copy.workspaces.at(0).zeroed);
  REQUIRE_FALSE(j.contains("constants"));  // as plans were written before
  plan.constants = {{"ns::table", "x"}};
  REQUIRE(parse_json(json_text(plan)).get<Plan>().constants == plan.constants);
}

TEST_CASE("what few launches ask for is written only where it is asked for") {
  Launch launch{.entry = "k"};
  REQUIRE_FALSE(json(launch).contains("pdl"));
  REQUIRE_FALSE(json(launch).contains("resident"));
  launch.pdl = true;
  launch.resident = 2;
  const auto copy = parse_json(json_text(launch)).get<Launch>();
  REQUIRE(copy.pdl);
  REQUIRE(copy.resident == 2);
}

TEST_CASE("a resident grid is a multiple of its cluster, one cluster at least and no more than was written") {
  Launch launch{.entry = "k", .grid = {100, 3}, .cluster = {4}};
  REQUIRE(blocks_that_fit(launch, 30).x == 100);
  launch.resident = 1;
  REQUIRE(blocks_that_fit(launch, 30) == Dim3{8, 3, 1});
  REQUIRE(blocks_that_fit(launch, 0) == Dim3{4, 3, 1});
  REQUIRE(blocks_that_fit(launch, 3000) == Dim3{100, 3, 1});
  launch.resident = 2;
  REQUIRE(blocks_that_fit(launch, 30) == Dim3{20, 3, 1});
}

TEST_CASE("a plan with an unknown step or argument is refused") {
  REQUIRE_THROWS_AS(parse_json(R"({"steps":[{"sleep":1}],"workspaces":[]})").get<Plan>(), Error);
  json j = Plan{{Launch{"k", {}, {}, {}, 0, false, {NamedArgument{"x", 0}}}}, {}};
  j["steps"][0]["launch"]["args"][0] = json{{"offset", 4}};
  REQUIRE_THROWS_AS(j.get<Plan>(), Error);
}

TEST_CASE(
    "what a builder says of a launch is filled in: threads, shared memory, clusters, and which arguments it takes") {
  const Plan plan{
      {Launch{"k", {6}, {0}, {}, 0, false, {NamedArgument{"x"}, ScalarArgument{Dtype::s32, std::int64_t{1}}}}}, {}};
  Artifact artifact;
  artifact.entries = {{.entry = "k", .threads = 128, .shared = 4096, .cluster = 2, .passes = {0, kNullArgument}}};
  const Launch launch = std::get<Launch>(with_built(plan, artifact).steps.at(0));
  CHECK(launch.block == Dim3{128});
  CHECK(launch.shared == 4096);
  CHECK(launch.cluster == Dim3{2});
  CHECK(launch.grid == Dim3{12});
  REQUIRE(launch.args.size() == 2);
  CHECK(std::get<NamedArgument>(launch.args.at(0)).name == "x");
  CHECK(std::get<ScalarArgument>(launch.args.at(1)).dtype == Dtype::u64);
  artifact.entries = {{.entry = "k"}};  // the device's own compiler says nothing
  CHECK(json_text(with_built(plan, artifact)) == json_text(plan));
}
