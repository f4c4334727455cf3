#include "harness/package/resolved.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/package/launch_list.h"
#include "tests/package/candidates.h"

using namespace harness;
using namespace harness::package;
using namespace harness::package::test;

namespace {

const Origin kResolvedOrigin{"iteration 7 of campaign 3: passed", "harness 0", "sm_90a", "c0ffee"};

}  // namespace

TEST_CASE("a resolved source has its configuration, its launches and what they need instantiated") {
  Realized made = a_candidate("10_x", "ns::twice<float,4>", "int source;\n", 100);
  std::get<Launch>(made.plan.steps[0]).cluster = {2, 1, 1};
  std::get<Launch>(made.plan.steps[0]).shared = 1024;
  made.build.options = {"--use_fast_math"};
  const std::string text = resolved_source(made, kResolvedOrigin);
  for (const char* part :
       {"// twins 10_x BLOCK=32 on n100\n",
        "nvcc -gencode=arch=compute_90a,code=sm_90a --std=c++17 --use_fast_math -cubin",
        "// launch ns::twice<float,4>\n//   grid 4 x 1 x 1, block 32 x 1 x 1, cluster 2 x 1 x 1, 1024 bytes of dynamic",
        "//   argument 1: x: input f32 [100]\n", "//   argument 4: s32 100\n",
        "#ifndef FACTOR\n#define FACTOR 2\n#endif\n", "int source;\n",
        "template __global__ decltype(ns::twice<float,4>) ns::twice<float,4>;\n"})
    CHECK_THAT(text, Catch::Contains(part));
}

TEST_CASE("an entry that is no template needs no instantiation") {
  CHECK(resolved_source(a_candidate("10_x", "twice", "", 100), kResolvedOrigin).find("template") == std::string::npos);
}

TEST_CASE("a plan of library calls alone has no source") {
  Realized made = a_candidate("80_lib", "twice", "", 100);
  made.plan.steps = {LibraryCall{"cudnn", "attention", json::object()}};
  made.build.entries = {};
  CHECK_THROWS_WITH(resolved_source(made, kResolvedOrigin), Catch::Contains("'80_lib' launches no kernel of its own"));
}

TEST_CASE("launches are data") {
  Realized made = a_candidate("10_x", "twice", "", 100);
  made.plan.workspaces = {{"scratch", 64, 256, true}};
  std::get<Launch>(made.plan.steps[0]).args.push_back(NamedArgument{"scratch", 16});
  made.plan.steps.insert(made.plan.steps.begin(), Memset{"scratch", 0, 64, 7});
  const json launches = launches_json(made);
  REQUIRE(launches.size() == 1);
  CHECK(launches[0]["step"] == 2);
  CHECK(launches[0]["entry"] == "twice");
  CHECK(launches[0]["grid"] == json({4, 1, 1}));
  CHECK(launches[0]["block"] == json({32, 1, 1}));
  CHECK(launches[0]["cluster"] == json({1, 1, 1}));
  CHECK(launches[0]["shared_bytes"] == 0);
  CHECK(launches[0]["arguments"][0]["name"] == "x");
  CHECK(launches[0]["arguments"][0]["kind"] == "input");
  CHECK(launches[0]["arguments"][3] == json{{"dtype", "s32"}, {"value", 100}});
  CHECK(launches[0]["arguments"][4]["kind"] == "workspace");
  CHECK(launches[0]["arguments"][4]["offset_bytes"] == 16);
  const json others = other_steps_json(made);
  CHECK(others["memsets"][0]["target"] == "scratch");
  CHECK(others["workspaces"][0]["zeroed"] == true);
}

TEST_CASE("no text ends or continues the comment that it stands in") {
  CHECK(comment("one\ntwo\x1b") == "// one two\\x1b");
  CHECK(comment("goes on \\") == "// goes on \\.");
  CHECK(comment("goes on \\  ") == "// goes on \\.");
  CHECK(comment("a trigraph ?\?/") == "// a trigraph ?\?/.");
}
