#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/package/launcher/launcher.h"
#include "harness/package/standalone.h"
#include "harness/script/catalog/catalog.h"
#include "harness/system/files.h"
#include "tests/package/candidates.h"
#include "tests/package/fake_cuda.h"

// `__constant__` variables that a manifest fills, in what leaves the harness.
using namespace harness;
using namespace harness::package;
using namespace harness::package::test;
using harness::tests::Finished;
using harness::tests::run_program;
using harness::tests::Scratch;

namespace {

constexpr const char* kKernel = R"(return kernel {
  contract = 1, name = "blur", summary = "y = x, weighted",
  domain = { N = range(1, 4096) }, workloads = { { name = "n100", N = 100 } },
  arguments = {
    input  { "x", dtype = "f32", shape = { "N" }, gen = normal {} },
    input  { "weights", dtype = "f32", shape = { 3, 3 }, gen = normal {} },
    scalar { "gain", dtype = "f32", value = 2 },
    output { "y", dtype = "f32", shape = { "N" }, compare = relative {} },
  },
  reference = { source = "reference.cu", entry = "reference", sizes = { "N" }, threads = "N" },
  work = function(w) return { bytes = 8 * w.N } end,
}
)";

std::string variant(const std::string& constants) {
  return "return variant { technique = \"naive\", constants = { " + constants + R"( },
  steps = function(p, w, device)
    return { launch { entry = "blur", grid = { cdiv(w.N, 64) }, block = { 64 }, args = { "x", "y", i32(w.N) } } }
  end }
)";
}

FormulaPlan plan_with(const Scratch& scratch, const std::string& constants) {
  scratch.write("kernels/blur/kernel.lua", kKernel);
  scratch.write("kernels/blur/reference.cu", "");
  scratch.write("kernels/blur/variants/00_naive.lua", variant(constants));
  scratch.write("kernels/blur/variants/00_naive.cu", "");
  script::LuaCatalog catalog({scratch.path("kernels")}, {});
  const Workload workload = catalog.kernel("blur").workloads.front();
  return catalog.plugin("blur").formulas({"blur", "00_naive", "naive", {}}, workload, fake_h200());
}

constexpr const char* kMain = R"(
#include "blur.h"
int main() {
  const blur_sizes sizes = {100};
  if (blur_load() != BLUR_OK) return 1;
  return blur_run(&sizes, (const float*)0x1000, (const float*)0x2000, 2.f, (float*)0x3000, nullptr, 0, (void*)0x77);
}
)";

}  // namespace

TEST_CASE("a launcher copies a table into constant memory on the caller's stream, before the launch") {
  const Scratch scratch;
  Launcher launcher{.kernel = "blur", .summary = "y", .program = "test", .architectures = {"sm_90a"}};
  launcher.fields = {{.name = "N", .lo = 1, .hi = 4096, .example = std::int64_t{100}}};
  launcher.units = {{{"image"}, {}}};
  launcher.kernels = {{"blur", 0, "blur:8,8,4"}};
  launcher.variables = {{"ns::table", 0, "_ZN2ns5tableE"}};
  launcher.configurations = {{{"blur", "00_naive", "naive", {}}, true}};
  launcher.instances = {{0, plan_with(scratch, "{ \"ns::table\", from = \"weights\" }"), {0}, {0}}};
  const LauncherFiles files = launcher_files(launcher);
  scratch.write("blur.h", files.header);
  scratch.write("blur.cpp", files.source);
  scratch.write("blur_math.h", files.math);
  scratch.write("blur_code.h", files.code_header);
  scratch.write("blur_code.cpp", files.code);
  scratch.write("main.cpp", kMain);
  const Finished compiler = run_program({"c++", "-std=c++17", "-O0", "-Wall", "-Werror", "main.cpp", "blur.cpp",
                                         "blur_code.cpp", "-o", "main", "-ldl", "-lpthread"},
                                        scratch.path(""));
  INFO(compiler.err);
  REQUIRE(compiler.status == 0);
  const FakeCuda cuda(scratch);
  CHECK(run_program({scratch.path("main")}, "/", cuda.environment()).status == 0);
  const std::string log = read_file(cuda.log());
  INFO(log);
  const std::size_t variable = log.find("variable _ZN2ns5tableE\n"), copy = log.find("copy c000 2000 36\n"),
                    launch = log.find("launch blur grid 2 1 1");
  CHECK(variable < copy);
  CHECK(copy < launch);
  CHECK(launch != std::string::npos);
}

TEST_CASE("a package does not fill constant memory from a scalar") {
  const Scratch scratch;
  REQUIRE_THROWS_WITH(plan_with(scratch, "{ \"gain\", from = \"gain\" }"),
                      Catch::Contains("a package fills __constant__ memory from inputs alone"));
}

TEST_CASE("a standalone program fills the constant memory of each side once") {
  const Scratch scratch;
  const auto side = [](const char* name) {
    Realized made = a_candidate(name, "twice",
                                "namespace ns { __constant__ float table[100]; }\n__constant__ float gain;\n"
                                "__global__ void twice(const float*, float*, float*, int) {}\n",
                                100);
    Argument gain = tensor("gain", ArgumentKind::scalar, {});
    gain.value = 0.5;
    made.problem.arguments.push_back(gain);
    made.plan.constants = {{"::ns::table", "x"}, {"gain", "gain"}};
    return made;
  };
  const std::string program =
      standalone_program(side("00_naive"), side("10_other"), {"iteration 7", "harness 0", "", "c0ffee"});
  for (const char* part :
       {"cudaMemcpyToSymbol(ns::table, memory_.at(\"x\"), 400, 0, cudaMemcpyDeviceToDevice)",
        "cudaMemcpyToSymbol(gain, parameters_.pointers()[0], 4)", "::original::fill_constants(original.memory);",
        "::winner::fill_constants(winner.memory);", "// __constant__ ::ns::table: holds 'x' before each call"})
    CHECK_THAT(program, Catch::Contains(part));
  scratch.write("program.cu", program);
  const Finished compiler = run_program({"g++", "-std=c++17", "-Wall", "-fsyntax-only", "-x", "c++",
                                         "-I" HARNESS_SOURCE_DIR "/tests/fakes/cuda", scratch.path("program.cu")},
                                        scratch.path(""));
  INFO(compiler.err);
  CHECK(compiler.status == 0);
}
