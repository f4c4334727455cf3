#include "harness/device/cpu/compile/dependencies.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/device/port/included.h"
#include "tests/device/cpu/fixture.h"
#include "tests/support/program.h"

using namespace harness;
using harness::tests::Scratch;

TEST_CASE("a header that hides behind a system header decides the build, too") {
  const Scratch scratch;
  scratch.write("a.cuh", "#pragma GCC system_header\n#include \"b.cuh\"\n");
  scratch.write("b.cuh", "constexpr int kFactor = 2;\n");
  BuildSpec spec = test::spec_of("#include \"a.cuh\"\n__global__ void k(int* x) { *x *= kFactor; }\n", {"k"});
  spec.include_dirs = {scratch.path("")};
  const auto built = [&] { return std::get<Artifact>(test::build(spec)); };
  const Artifact first = built();
  CHECK_FALSE(first.from_cache);
  CHECK(built().from_cache);
  scratch.write("b.cuh", "constexpr int kFactor = 3;\n");
  CHECK(built().code_hash != first.code_hash);
}

TEST_CASE("a header that comes to stand before another of its name decides the build") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path("first"));
  std::filesystem::create_directories(scratch.path("second"));
  scratch.write("second/b.cuh", "constexpr int kAdded = 2;\n");
  BuildSpec spec = test::spec_of("#include <b.cuh>\n__global__ void k(int* x) { *x += kAdded; }\n", {"k"});
  spec.include_dirs = {scratch.path("first"), scratch.path("second")};
  const std::string code = std::get<Artifact>(test::build(spec)).code_hash;
  scratch.write("first/b.cuh", "constexpr int kAdded = 3;\n");
  CHECK(std::get<Artifact>(test::build(spec)).code_hash != code);
}

TEST_CASE("what g++ read and no include names is told, but not the system's and the emulation's") {
  const Scratch scratch;
  scratch.write("own/a.cuh", "");
  scratch.write("own/b.cuh", "");
  scratch.write("emulation/e.h", "");
  BuildSpec spec = test::spec_of("#include \"a.cuh\"\n", {});
  spec.include_dirs = {scratch.path("own")};
  const cpp_text::IncludeClosure included = included_by(spec);
  std::vector<std::string> files{"/usr/include/c++/12/cmath", scratch.path("own/a.cuh"), scratch.path("emulation/e.h")};
  cpu::take_out_system_headers(files, spec.include_dirs, {"/usr/include"});
  CHECK(files.size() == 2);
  CHECK(cpu::uncovered_dependency(files, included, scratch.path("emulation"), "k.cu").empty());
  files.push_back(scratch.path("own/b.cuh"));
  CHECK_THAT(cpu::uncovered_dependency(files, included, scratch.path("emulation"), "k.cu"),
             Catch::StartsWith("k.cu: error: g++ read") && Catch::Contains("own/b.cuh"));
}

TEST_CASE("a build whose include the text does not tell is refused") {
  const BuildResult result = test::build(test::spec_of("\n#include ANY\n", {"k"}));
  const auto* failure = std::get_if<CompileFailure>(&result);
  REQUIRE(failure != nullptr);
  CHECK_THAT(failure->log, Catch::StartsWith("kernel.cu:2: an #include must name its file"));
}
