#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>

#include "harness/system/files.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

TEST_CASE("--version names the version and the git revision") {
  const Finished finished = run_harness({"--version"});
  CHECK(finished.status == 0);
  INFO(finished.out);
  CHECK(
      std::regex_match(finished.out, std::regex("harness \\d+\\.\\d+\\.\\d+ \\(([0-9a-f]{12}(-dirty)?|unknown)\\)\n")));
}

TEST_CASE("an installed program works from any folder, with its documents and without what only tests it") {
  const Scratch scratch;
  const std::string prefix = scratch.path("prefix"), elsewhere = scratch.path("elsewhere");
  const std::string build = fs::path(HARNESS_BINARY).parent_path();
  fs::create_directories(elsewhere);
  const Finished installed = run_program({"cmake", "--install", build, "--prefix", prefix}, elsewhere);
  INFO(installed.err);
  REQUIRE(installed.status == 0);
  const fs::path share = fs::path(prefix) / "share";
  for (const char* path :
       {"doc/harness/LICENSE", "doc/harness/README.md", "doc/harness/docs/README.md",
        "harness/kernels/vector_scale/kernel.lua", "harness/kernels/include/harness/random.cuh",
        "harness/kernels/README.md", "harness/strategies/roi.lua", "harness/gpus/h200.lua",
        "harness/playbook/README.md", "harness/examples/ordinary/row_softmax.cu", "harness/python/harness/session.py",
        "harness/examples/recorded/layernorm.jsonl", "harness/examples/verifiers/harness_kernels/taskset.py",
        "harness/proposers/propose-agent"}) {
    INFO(path);
    CHECK(fs::is_regular_file(share / path));
  }
  const std::regex link("\\]\\(([^)#]*)(#[^)]*)?\\)");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(prefix)) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = read_file(entry.path().string());
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      INFO(entry.path() << ": " << target);
      if (!target.empty() && target.find(':') == std::string::npos)
        CHECK(fs::exists(entry.path().parent_path() / target));
    }
  }
  const std::string manifest = read_file(build + "/install_manifest.txt");
  for (const char* file : {"/share/man/man1/harness.1", "/share/bash-completion/completions/harness",
                           "/share/zsh/site-functions/_harness", "/share/fish/vendor_completions.d/harness.fish"})
    CHECK(manifest.find(prefix + file) != std::string::npos);
  const auto of_tests = [](const fs::directory_entry& entry) {
    return entry.path().filename() == "mutants" || entry.path().filename() == "tests";
  };
  CHECK(std::none_of(fs::recursive_directory_iterator(prefix), fs::recursive_directory_iterator(), of_tests));

  const std::string program = prefix + "/bin/harness";
  const Finished kernels = run_program({program, "kernels"}, elsewhere);
  INFO(kernels.err);
  CHECK(kernels.status == 0);
  CHECK(kernels.out.find("vector_scale") != std::string::npos);
  const Finished evaluated = run_program({program, "eval", "vector_scale", "10_vector", "--workload", "odd_n1003_f32",
                                          "--device", "cpu", "--emulated", "--no-record"},
                                         elsewhere);
  INFO(evaluated.out << evaluated.err);
  CHECK(evaluated.status == 0);
  CHECK(evaluated.out.find("passed") != std::string::npos);
  CHECK(fs::is_empty(elsewhere));

  // Who has only this program makes kernels all the same.
  const std::string project = scratch.path("project"), below = project + "/kernels/mine";
  REQUIRE(run_program({program, "init", project, "--kernel", "mine"}, elsewhere).status == 0);
  REQUIRE(run_program({program, "new", "variant", "mine/10_other"}, below).status == 0);
  const Finished own = run_program({program, "eval", "mine", "10_other", "--device", "cpu", "--emulated"}, below,
                                   {"HARNESS_DB=" + project + "/x.db"});
  INFO(own.out << own.err);
  CHECK(own.status == 0);
  const Finished refused = run_program({program, "new", "variant", "softmax/99_x"}, elsewhere);
  CHECK(refused.status == 2);
  CHECK_FALSE(fs::exists(share / "harness/kernels/softmax/variants/99_x.lua"));

  const Finished removed = run_program({"cmake", "-DMANIFEST=" + build + "/install_manifest.txt", "-P",
                                        std::string(HARNESS_SOURCE_DIR) + "/cmake/uninstall.cmake"},
                                       elsewhere);
  INFO(removed.err);
  CHECK(removed.status == 0);
  CHECK_FALSE(fs::exists(prefix));
}
