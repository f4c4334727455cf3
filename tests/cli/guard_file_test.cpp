#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/program.h"
#include "tests/support/skip.h"

// guard --file: what a pull request does to an adopted file, by its code.
using namespace harness;
using namespace harness::tests;

namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = R"(#include <cstdio>
#include "factor.h"
__global__ void scale(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = kFactor * x[i];
}
void run(const float* x, float* y, int n) { scale<<<(n + 255) / 256, 256>>>(x, y, n); }
)";

constexpr const char* kManifest = R"(return kernel {
  contract = 1, name = "scale", summary = "y = 2 x",
  domain = { n = range(1, 65536) },
  workloads = { { name = "n4096", n = 4096, sets = { "default" } } },
  arguments = {
    input { "x", dtype = "f32", shape = { "n" }, align = 256, gen = normal {} },
    output { "y", dtype = "f32", shape = { "n" }, align = 256, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "n" },
                threads = function(w) return w.n end },
  work = function(w) return { bytes = w.n * 8 } end,
  adopted = { file = "scale.cu", entry = "scale", digest = "0", path = "../../src/scale.cu" },
}
)";

constexpr const char* kReference =
    "__global__ void reference(const float* x, double* y, long long n) {\n"
    "  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = 2.0 * x[i];\n}\n";

constexpr const char* kVariant =
    "return variant {\n  technique = \"original\", risk = \"low\",\n"
    "  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },\n"
    "  steps = function(p, w, device)\n    return { launch { entry = \"scale\", grid = { cdiv(w.n, 256) }, block = { "
    "256 },\n"
    "                      shared = 0, args = { \"x\", \"y\", i32(w.n) } } }\n  end,\n}\n";

/// A project with an adopted kernel, in git.
std::string project(const Scratch& scratch) {
  const std::string folder = scratch.path("project");
  fs::create_directories(folder + "/kernels/scale/variants");
  fs::create_directories(folder + "/src");
  scratch.write("project/.harness-project", "");
  scratch.write("project/src/scale.cu", kFile);
  scratch.write("project/src/factor.h", "constexpr float kFactor = 2.0f;\n");
  scratch.write("project/kernels/scale/kernel.lua", kManifest);
  scratch.write("project/kernels/scale/reference.cu", kReference);
  scratch.write("project/kernels/scale/variants/00_original.lua", kVariant);
  scratch.write("project/kernels/scale/variants/00_original.cu",
                "constexpr float kFactor = 2.0f;\n" + std::string(kFile).substr(std::string(kFile).find("__global__")));
  for (const auto& words : {std::vector<std::string>{"git", "init", "-q"},
                            {"git", "add", "-A"},
                            {"git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first"}})
    REQUIRE(run_program(words, folder).status == 0);
  return folder;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("a change of an adopted file is judged beside its base, by its code where there is no GPU") {
  if (run_program({"git", "--version"}, "/").status != 0) return skip("git is not here");
  const Scratch scratch;
  const std::string folder = project(scratch);
  const auto guard = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{HARNESS_BINARY, "guard", "--file", "src/scale.cu", "--base", "HEAD"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, folder);
  };
  const Finished alone = run_program({HARNESS_BINARY, "guard", "--file", "src/scale.cu"}, folder);
  CHECK(alone.status == 2);
  CHECK(guard({"--device", "cuda:63"}).status == 3);
  const Finished same = guard({"--device", "cpu", "--json"});
  INFO(same.err);
  CHECK(same.status == 0);
  CHECK(same.lines().at(0)["workloads"][0]["verdict"] == "same code");

  scratch.write("project/src/scale.cu", replaced(kFile, "if (i < n)", "if (i < n - 1)"));
  const Finished wrong = guard({"--device", "cpu", "--json", "--junit", scratch.path("j.xml")});
  INFO(wrong.err);
  CHECK(wrong.status == 1);
  CHECK(wrong.lines().at(0)["workloads"][0]["verdict"] == "wrong");
  CHECK(fs::exists(scratch.path("j.xml")));

  scratch.write("project/src/scale.cu", replaced(kFile, "float* y, int n", "float* y, long n"));
  const Finished contract = guard({"--device", "cpu"});
  CHECK(contract.status == 2);
  CHECK_THAT(contract.err, Catch::Contains("so the two cannot be compared; adopt the file anew"));

  scratch.write("project/src/scale.cu", replaced(kFile, "(n + 255) / 256, 256>>>", "(n + 511) / 512, 512>>>"));
  const Finished launch = guard({"--code-only", "--json"});
  if (launch.status == 3) return skip("NVRTC is not here");
  INFO(launch.out << launch.err);
  CHECK(launch.status == 0);
  CHECK(launch.lines().at(0)["workloads"][0]["verdict"] == "same code");  // the grid is no machine code

  const Finished revision =
      run_program({HARNESS_BINARY, "guard", "--file", "src/scale.cu", "--base", "nowhere", "--code-only"}, folder);
  CHECK(revision.status == 2);
  CHECK_THAT(revision.err, Catch::Contains("git has no scale.cu at nowhere"));
  CHECK_THAT(guard({"--arch", "banana", "--code-only"}).err, Catch::Contains("is no architecture"));
}
