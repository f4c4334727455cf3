#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "harness/device/cuda/api/nvrtc_api.h"
#include "harness/device/cuda/api/toolkit.h"
#include "harness/device/cuda/compile/compiler.h"
#include "harness/system/files.h"
#include "harness/system/run_program.h"
#include "harness/system/walls.h"
#include "tests/device/cuda/scratch.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

namespace {

constexpr const char* kBuilt = "extern \"C\" __global__ void simple(float* x, int n) { if (n > 0) x[0] = n; }";

bool no_compiler() {
  if (nvrtc_library().api) return false;
  harness::tests::skip(nvrtc_library().missing);
  return true;
}

/// Builders that are scripts of a test's own, and the image of a kernel for them to answer with.
struct Builders {
  Scratch scratch;
  NvrtcCompiler compiler{scratch.path("cache"), "sm_90a", find_toolkit_include(), walls_here(), {.deadline_s = 0.3}};

  Builders() {
    for (const char* const architecture : {"sm_90a", "sm_80"}) {
      NvrtcCompiler other(scratch.path("cache"), architecture, find_toolkit_include());
      const Artifact made = std::get<Artifact>(other.build({"simple.cu", kBuilt, {"simple"}}));
      scratch.write(std::string("builders/") + architecture + ".cubin", read_file(made.path));
      scratch.write("builders/module.ptx", read_file(made.listing));
    }
  }
  BuildResult built(const std::string& script) {
    scratch.write("builders/build.sh", "#!/bin/sh\ncat > \"$TMPDIR/request\"\n" + script);
    chmod(scratch.path("builders/build.sh").c_str(), 0755);
    BuildSpec spec{"simple.py", "text", {"simple"}};
    spec.builder = "command:" + scratch.path("builders/build.sh");
    return compiler.build(spec);
  }
  std::string refused(const std::string& script) {
    const BuildResult result = built(script);
    REQUIRE(std::holds_alternative<CompileFailure>(result));
    return std::get<CompileFailure>(result).log;
  }
  /// A script that answers with this image, and with `more` in the place of what follows.
  std::string answering(const std::string& image, const std::string& entries) const {
    return "cd \"$TMPDIR\" && cp " + scratch.path("builders/" + image) +
           " m && echo '{\"code\":\"m\",\"kind\":\"cubin\"," + "\"entries\":[" + entries + "]}'";
  }
};

}  // namespace

TEST_CASE("a builder's machine code is taken with what it says of a launch, and kept") {
  if (no_compiler()) return;
  Builders builders;
  const std::string script = builders.answering(
      "sm_90a.cubin", R"({"name":"simple","threads":64,"shared":128,"parameters":[{"size":8},{"size":4}]})");
  const BuildResult result = builders.built(script);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
  const Artifact& artifact = std::get<Artifact>(result);
  REQUIRE(artifact.entries.size() == 1);
  CHECK(artifact.entries[0].threads == 64);
  CHECK(artifact.entries[0].shared == 128);
  CHECK(artifact.entries[0].parameter_bytes == std::vector<std::int64_t>{8, 4});
  CHECK(artifact.entries[0].passes == std::vector<int>{0, 1});
  CHECK_FALSE(artifact.from_cache);
  CHECK(std::get<Artifact>(builders.built(script)).from_cache);
}

TEST_CASE("what a builder answers and its code does not bear out is refused in a sentence") {
  if (no_compiler()) return;
  Builders builders;
  const std::string good = R"({"name":"simple","parameters":[{"size":8},{"size":4}]})";
  CHECK_THAT(builders.refused("echo hello"), Catch::Contains("answered something that is no JSON object"));
  CHECK_THAT(builders.refused("echo oh no >&2; exit 3"), Catch::Contains("ended with status 3 and no answer: oh no"));
  CHECK_THAT(builders.refused("echo '{\"error\":\"line 3 is wrong\"}'"), Catch::Contains("line 3 is wrong"));
  CHECK_THAT(builders.refused("echo '{}'"), Catch::Contains("no `code` with a `kind` of cubin or ptx"));
  CHECK_THAT(builders.refused("i=0; while [ $i -lt 100000 ]; do printf '['; i=$((i+1)); done"),
             Catch::Contains("no JSON object"));
  CHECK_THAT(builders.refused("echo '{\"code\":\"../../passwd\",\"kind\":\"cubin\",\"entries\":[]}'"),
             Catch::Contains("no file of its scratch folder"));
  CHECK_THAT(builders.refused(
                 "cd \"$TMPDIR\"; ln -s /etc/passwd m; echo '{\"code\":\"m\",\"kind\":\"cubin\",\"entries\":[]}'"),
             Catch::Contains("no file of its scratch folder"));
  CHECK_THAT(builders.refused("cd \"$TMPDIR\"; echo x > m; echo '{\"code\":\"m\",\"kind\":\"cubin\",\"entries\":[" +
                              good + "]}'"),
             Catch::Contains("answered code that is no cubin"));
  CHECK_THAT(builders.refused(builders.answering("sm_80.cubin", good)),
             Catch::Contains("answered code for sm_80 where sm_90a was asked for"));
  CHECK_THAT(builders.refused(builders.answering("sm_90a.cubin", R"({"name":"other"})")),
             Catch::Contains("answered no entry 'simple'"));
  CHECK_THAT(builders.refused(builders.answering("sm_90a.cubin", R"({"name":"simple","symbol":"gone"})")),
             Catch::Contains("'gone' as the symbol of simple, which its code does not have"));
  CHECK_THAT(
      builders.refused(builders.answering("sm_90a.cubin", R"({"name":"simple","parameters":[{"size":8}]})")),
      Catch::Contains("parameters of simple of other sizes than its code has (2 of [8, 4] bytes, not 1 of [8])"));
  CHECK_THAT(builders.refused(builders.answering("sm_90a.cubin", R"({"name":"simple","threads":-5})")),
             Catch::Contains("threads = -5"));
  CHECK_THAT(builders.refused(builders.answering("sm_90a.cubin", R"({"name":"simple","scratch_bytes":4096})")),
             Catch::Contains("declare a workspace"));
}

TEST_CASE("a builder keeps to its walls and its time") {
  if (no_compiler()) return;
  Builders builders;
  CHECK_THAT(builders.refused("while :; do :; done"), Catch::Contains("gave no answer within"));
  if (!walls_here().around_files()) return harness::tests::skip("this machine has no walls around files");
  builders.scratch.write("secret", "42");
  builders.refused("cat " + builders.scratch.path("secret") + " > \"$TMPDIR/seen\"; echo late > " +
                   builders.scratch.path("written") + "; cat \"$TMPDIR/seen\" >&2");
  CHECK_FALSE(read_file_if_any(builders.scratch.path("written")));
  CHECK_THAT(builders.refused("cat " + builders.scratch.path("secret") + " >&2"), !Catch::Contains("42"));
}

TEST_CASE("a builder may move what it made from folder to folder of its scratch") {
  if (no_compiler()) return;
  Builders builders;
  const std::string image = builders.scratch.path("builders/sm_90a.cubin");
  const BuildResult result = builders.built("cd \"$TMPDIR\" && mkdir a b && cp " + image + " a/m && mv a/m b/m && " +
                                            R"(echo '{"code":"b/m","kind":"cubin","entries":[{"name":"simple"}]}')");
  if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
}

// A script in the place of an interpreter, which finds tests/fixtures/fake_triton.
TEST_CASE("Triton's builder makes one module of the functions of a plan") {
  if (no_compiler()) return;
  if (find_program("ptxas", {"/usr/local/cuda/bin"}).empty()) return harness::tests::skip("there is no ptxas");
  const Scratch scratch;
  scratch.write("bin/python", "#!/bin/sh\nPYTHONPATH=" HARNESS_SOURCE_DIR
                              "/tests/fixtures/fake_triton exec /usr/bin/python3 \"$@\"\n");
  chmod(scratch.path("bin/python").c_str(), 0755);
  const char* const before = std::getenv("HARNESS_PYTHON");
  const std::string kept = before == nullptr ? "" : before;
  setenv("HARNESS_PYTHON", scratch.path("bin/python").c_str(), 1);
  NvrtcCompiler compiler(scratch.path("cache"), "sm_90a", find_toolkit_include(), walls_here());
  BuildSpec spec{"two.py",
                 "import triton\nimport triton.language as tl\nfrom triton.experimental import gluon\n"
                 "@triton.jit\ndef part(x, n, B: tl.constexpr): pass\n"
                 "@gluon.jit\ndef whole(x, y, B: tl.constexpr): pass\n",
                 {"part<B=4,num_warps=2>", "whole<B=4>", "part<B=8>"}};
  spec.include_dirs = {HARNESS_SOURCE_DIR "/tests/fixtures"};
  spec.builder = "triton";
  const ArgumentUse pointer{"pointer", "f32", 16, {}}, number{"scalar", "s32", 1, {}};
  for (const std::string& entry : spec.entries)
    spec.uses.push_back(
        {entry, entry.starts_with("part") ? std::vector{pointer, number} : std::vector{pointer, pointer}});
  const BuildResult result = compiler.build(spec);
  kept.empty() ? unsetenv("HARNESS_PYTHON") : setenv("HARNESS_PYTHON", kept.c_str(), 1);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
  const Artifact& artifact = std::get<Artifact>(result);
  REQUIRE(artifact.entries.size() == 3);
  CHECK(artifact.entries[0].threads == 64);
  const std::string listing = read_file(artifact.listing);
  CHECK_THAT(listing, Catch::Contains(".entry part__0("));
  CHECK_THAT(listing, Catch::Contains(".entry whole_of_gluon__1("));  // by Gluon's own front end
  CHECK(artifact.entries[1].parameter_bytes == std::vector<std::int64_t>{8, 8});
  CHECK(artifact.entries[2].parameter_bytes == std::vector<std::int64_t>{8, 4});
}

TEST_CASE("nvcc instantiates what the plan names, and a header that changed is compiled again") {
  if (no_compiler()) return;
  if (find_program("nvcc", {"/usr/local/cuda/bin"}).empty()) return harness::tests::skip("there is no nvcc");
  const Scratch scratch;
  NvrtcCompiler compiler(scratch.path("cache"), "sm_90a", find_toolkit_include(), walls_here());
  scratch.write("headers/factor.cuh", "#include <cuda_bf16.h>\nconstexpr float kFactor = 2;\n");
  BuildSpec spec;
  spec.source_name = "kernels/k/variants/10_x.cu";
  spec.source =
      "#include \"factor.cuh\"\nnamespace { template <typename T, int N> __global__ void scale(T* x) { x[N] = "
      "T(kFactor); } }\n"
      "int main() { return 0; }\n";
  spec.entries = {"scale<__nv_bfloat16,4>", "scale<float,1>"};
  spec.include_dirs = {scratch.path("headers")};
  spec.builder = "nvcc";
  const BuildResult result = compiler.build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) FAIL(failure->log);
  const Artifact first = std::get<Artifact>(result);
  REQUIRE(first.entries.size() == 2);
  CHECK(first.entries[1].parameter_bytes == std::vector<std::int64_t>{8});
  CHECK(first.globals.empty());  // what named the entries is gone
  CHECK(std::get<Artifact>(compiler.build(spec)).from_cache);
  scratch.write("headers/factor.cuh", "#include <cuda_bf16.h>\nconstexpr float kFactor = 3;\n");
  const Artifact second = std::get<Artifact>(compiler.build(spec));
  CHECK_FALSE(second.from_cache);
  CHECK(second.code_hash != first.code_hash);
  spec.entries = {"gone<1>"};
  const BuildResult wrong = compiler.build(spec);
  REQUIRE(std::holds_alternative<CompileFailure>(wrong));
  CHECK_THAT(std::get<CompileFailure>(wrong).log, Catch::Contains("\"gone\" is undefined"));
}
