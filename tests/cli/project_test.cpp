#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/system/files.h"
#include "tests/support/program.h"

// A project of one's own, outside of any checkout: harness init, and harness new in it.
using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

Finished run_in(const std::string& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HARNESS_BINARY);
  return run_program(arguments, folder);
}

std::vector<std::string> kernel_names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const json& row : parse_json(run_in(folder, {"kernels", "--json"}).out)) names.push_back(row["name"]);
  return names;
}

}  // namespace

TEST_CASE("init makes a project that every command finds from below it") {
  const Scratch scratch;
  const std::string project = scratch.path("mine"), below = project + "/kernels/first/variants";
  const Finished made = run_in(scratch.path(""), {"init", "mine"});
  INFO(made.out << made.err);
  REQUIRE(made.status == 0);
  CHECK_THAT(made.err, Catch::Contains("next: cd mine && harness check first --device cpu"));
  for (const char* file :
       {"README.md", "AGENTS.md", ".agents/skills/harness/SKILL.md", ".harness-project", "strategies/README.md",
        "strategies/api.lua", ".gitignore", ".luarc.json", "kernels/first/kernel.lua"})
    CHECK(fs::is_regular_file(project + "/" + file));
  CHECK(kernel_names_in(below) == std::vector<std::string>{"first"});
  const std::string page = read_file(project + "/AGENTS.md");  // one text: here, in this repository, and as a skill
  CHECK(page == read_file(std::string(HARNESS_SOURCE_DIR) + "/AGENTS.md"));
  CHECK_THAT(read_file(project + "/.agents/skills/harness/SKILL.md"), Catch::EndsWith(page));

  REQUIRE(run_in(below, {"new", "kernel", "second"}).status == 0);
  REQUIRE(run_in(below, {"new", "variant", "second/10_other"}).status == 0);
  REQUIRE(run_in(project, {"new", "strategy", "careful"}).status == 0);
  REQUIRE(run_in(project, {"new", "pattern", "my-habit"}).status == 0);
  CHECK(fs::is_regular_file(project + "/kernels/second/variants/10_other.cu"));
  CHECK(fs::is_regular_file(project + "/strategies/careful.lua"));
  CHECK(kernel_names_in(project) == std::vector<std::string>{"first", "second"});
  const std::string strategies = run_in(project, {"strategies"}).out;
  CHECK_THAT(strategies, Catch::Contains("careful") && Catch::Contains("roi"));
  CHECK_THAT(run_in(project, {"playbook"}).out, Catch::Contains("my-habit") && Catch::Contains("roi-pivot"));
  CHECK(run_in(project, {"new", "kernel", "first"}).status == 2);
}

TEST_CASE("init overwrites nothing, and makes no project inside of another") {
  const Scratch scratch;
  scratch.write("mine/README.md", "mine\n");
  scratch.write("file", "");
  const Finished refused = run_in(scratch.path(""), {"init", "mine"});
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Catch::Contains("mine/README.md exists already"));
  CHECK_FALSE(fs::exists(scratch.path("mine/kernels")));
  CHECK(run_in(scratch.path(""), {"init", "file"}).status == 2);
  CHECK(run_in(scratch.path(""), {"init", "other", "--kernel", "../x"}).status == 2);
  scratch.write("other/.gitignore", "mine\n");
  REQUIRE(run_in(scratch.path(""), {"init", "other"}).status == 0);
  CHECK(read_file(scratch.path("other/.gitignore")) == "mine\n");
  fs::create_directories(scratch.path("here"));
  CHECK_THAT(run_in(scratch.path("here"), {"init"}).err, Catch::Contains("next: harness check first"));
  for (const Finished& inner : {run_in(scratch.path("other"), {"init"}), run_in(scratch.path("other"), {"init", "a/b"}),
                                run_in(HARNESS_SOURCE_DIR, {"init", "inner"})}) {
    CHECK(inner.status == 2);
    CHECK_THAT(inner.err, Catch::Contains("lies in the project"));
  }
}

TEST_CASE("outside of a project, new needs a folder") {
  const Scratch scratch;
  fs::create_directories(scratch.path("plugins"));
  const Finished nowhere = run_in(scratch.path(""), {"new", "kernel", "alone"});
  CHECK(nowhere.status == 2);
  CHECK_THAT(nowhere.err, Catch::Contains("harness init") && Catch::Contains("--kernels DIR"));
  const Finished made = run_in(scratch.path(""), {"new", "kernel", "alone", "--kernels", "plugins"});
  CHECK(made.status == 0);
  CHECK_THAT(made.err, Catch::Contains("harness check alone --device cpu --kernels "));
  CHECK(fs::is_regular_file(scratch.path("plugins/alone/kernel.lua")));
  CHECK(run_in(scratch.path(""), {"new", "variant", "alone/10_x", "--kernels", "plugins"}).status == 0);
  CHECK(run_in(scratch.path(""), {"new", "kernel", "softmax", "--kernels", "plugins"}).status == 2);
  const Finished foreign = run_in(scratch.path(""), {"new", "variant", "softmax/99_x"});
  CHECK(foreign.status == 2);
  CHECK_THAT(foreign.err, Catch::Contains("came with the program"));
  CHECK_FALSE(fs::exists(std::string(HARNESS_SOURCE_DIR) + "/kernels/softmax/variants/99_x.lua"));
}
