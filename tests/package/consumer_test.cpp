#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/system/files.h"
#include "tests/package/packages.h"
#include "tests/support/turns.h"

// Programs of other people, outside of the tree, that take a package as it is; and what a launcher refuses.
using namespace harness;
using namespace harness::package;
using namespace harness::package::test;
using harness::tests::Finished;
using harness::tests::run_program;
using harness::tests::Scratch;

namespace {

constexpr const char* kProgram = R"(
#include <cstdio>
#include <softmax.h>
static char memory[2][1 << 12] __attribute__((aligned(256)));
static softmax_sizes at(long long m, long long n, int dtype) {
  softmax_sizes s;
  s.M = m, s.N = n, s.dtype = dtype;
  return s;
}
static void tell(const char* what, softmax_status status) { std::printf("%s: %d\n", what, (int)status); }
static void choose(const char* what, softmax_sizes s) {
  softmax_choice_info info;
  const softmax_status status = softmax_choice(&s, &info);
  if (status != SOFTMAX_OK) return tell(what, status);
  std::printf("%s: %s %s%s\n", what, info.variant, info.configuration, info.original ? " original" : "");
}
int main() {
  const softmax_sizes f32 = at(4096, 1024, SOFTMAX_DTYPE_F32), odd = at(77, 13, SOFTMAX_DTYPE_BF16);
  void *x = memory[0], *y = memory[1];
  size_t bytes = 99;
  choose("measured", f32);
  choose("other size", odd);
  choose("half", at(4096, 1024, SOFTMAX_DTYPE_F16));
  tell("workspace", softmax_workspace_bytes(&f32, &bytes));
  tell("run", softmax_run(&f32, x, y, nullptr, 0, (void*)0x77));
  tell("again", softmax_run(&f32, x, y, nullptr, 0, (void*)0x77));
  tell("odd", softmax_run(&odd, x, y, nullptr, 0, nullptr));
  tell("null", softmax_run(&f32, nullptr, y, nullptr, 0, nullptr));
  tell("misaligned", softmax_run(&f32, x, (char*)y + 4, nullptr, 0, nullptr));
  const softmax_sizes none = at(0, 1024, SOFTMAX_DTYPE_F32), far = at(65536, 16384, SOFTMAX_DTYPE_F32),
                      negative = at(-1, 5, SOFTMAX_DTYPE_F32), untyped = at(4, 4, 9), zero_n = at(4, 0, 0);
  tell("nothing", softmax_run(&none, nullptr, nullptr, nullptr, 0, nullptr));
  tell("no columns", softmax_run(&zero_n, nullptr, nullptr, nullptr, 0, nullptr));
  tell("too far", softmax_run(&far, x, y, nullptr, 0, nullptr));
  tell("negative", softmax_run(&negative, x, y, nullptr, 0, nullptr));
  tell("no such type", softmax_run(&untyped, x, y, nullptr, 0, nullptr));
  tell("forced", softmax_run_as(1, &odd, x, y, nullptr, 0, nullptr));
  tell("no such choice", softmax_run_as(softmax_choices(), &f32, x, y, nullptr, 0, nullptr));
  tell("load", softmax_load());
  std::printf("%s\n", softmax_status_text(SOFTMAX_NO_CODE));
}
)";

constexpr const char* kAdded = R"(
cmake_minimum_required(VERSION 3.18)
project(theirs LANGUAGES CXX)
add_subdirectory(${PACKAGE} softmax)
add_executable(theirs program.cpp)
target_link_libraries(theirs PRIVATE softmax::softmax)
)";
constexpr const char* kFound = R"(
cmake_minimum_required(VERSION 3.18)
project(theirs LANGUAGES CXX)
find_package(softmax CONFIG REQUIRED)
add_executable(theirs program.cpp)
target_link_libraries(theirs PRIVATE softmax::softmax)
)";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Builds a project around a package and returns the path of its program.
std::string built(const Scratch& scratch, const std::string& name, const char* lists, const std::string& package) {
  namespace fs = std::filesystem;
  const std::string folder = scratch.path(name);
  fs::create_directories(folder);
  write_file(folder + "/CMakeLists.txt", lists);
  write_file(folder + "/program.cpp", kProgram);
  const Finished configured =
      run_program({"cmake", "-G", "Ninja", "-S", folder, "-B", folder + "/build", "-DPACKAGE=" + package,
                   "-DCMAKE_PREFIX_PATH=" + package, "-DCMAKE_CXX_FLAGS=-Wall -Wextra"},
                  "/");
  INFO(configured.out << configured.err);
  REQUIRE(configured.status == 0);
  const Finished made = run_program({"cmake", "--build", folder + "/build"}, "/");
  INFO(made.out << made.err);
  REQUIRE(made.status == 0);
  CHECK(made.out.find("warning") == std::string::npos);
  return folder + "/build/theirs";
}

}  // namespace

TEST_CASE("a project outside takes a package by add_subdirectory or find_package, and launches what the harness does") {
  if (tests::is_nightly()) return;
  const Scratch scratch;
  const SoftmaxPackage made;
  write_package(scratch.path("softmax_package"), made.files);
  const FakeCuda cuda(scratch);
  std::vector<std::string> environment = cuda.environment();
  environment.push_back("SOFTMAX_LOG=1");
  const std::string added = built(scratch, "added", kAdded, scratch.path("softmax_package"));
  const Finished ran = run_program({added}, "/", environment);
  CHECK(ran.out ==
        "measured: 30_registers ITEMS=2 ROWS=1 THREADS=128 VEC=4\n"
        "other size: 00_naive BLOCK=32 original\n"
        "half: 20_online THREADS=128 VEC=4\n"
        "workspace: 0\nrun: 0\nagain: 0\nodd: 0\nnull: 1\nmisaligned: 2\nnothing: 0\nno columns: 0\ntoo far: 3\n"
        "negative: 3\nno such type: 3\nforced: 12\nno such choice: 12\nload: 0\n"
        "the package has code for sm_90a, and not for this GPU\n");
  CHECK(
      ran.err ==
      "softmax: runs 30_registers ITEMS=2 ROWS=1 THREADS=128 VEC=4\nsoftmax: runs 00_naive BLOCK=32 (the original)\n");

  const KernelInfo& kernel = const_cast<SoftmaxPackage&>(made).catalog.kernel("softmax");
  const Candidate winner = made.model.launcher.configurations.at(made.model.first_winner).candidate;
  const Realized own =
      const_cast<SoftmaxPackage&>(made).catalog.plugin(winner.kernel).realize(winner, "m4096n1024_f32", fake_h200());
  const Launch& launch = std::get<Launch>(own.plan.steps.at(0));
  REQUIRE(kernel.name == "softmax");
  const std::string log = text_of(cuda.log());
  const std::string line = fmt::format("launch {} grid {} 1 1 block {} 1 1 cluster 1 1 1 shared 0 flags 0 0",
                                       launch.entry, launch.grid.x, launch.block.x);
  CHECK_THAT(log, Catch::Contains(line));
  CHECK_THAT(log, Catch::Contains(" 00100000 00040000 stream 0x77\n"));  // M and N as the kernel receives them
  CHECK_THAT(log, Catch::Contains("launch softmax<__nv_bfloat16> grid 3 1 1 block 32 1 1"));
  CHECK(log.find("load 69") != std::string::npos);  // "i" of the image

  {  // by find_package, from its folder alone
    const std::string found = built(scratch, "found", kFound, scratch.path("softmax_package"));
    CHECK(run_program({found}, "/", environment).out == ran.out);
  }
  {  // on another device
    const auto with = [&](const std::string& word) {
      std::vector<std::string> more = cuda.environment();
      more.push_back(word);
      return run_program({added}, "/", more).out;
    };
    CHECK_THAT(with("FAKE_CUDA_NAME=NVIDIA H100"), Catch::StartsWith("measured: 00_naive BLOCK=32 original\n"));
    CHECK_THAT(with("FAKE_CUDA_CC=80"), Catch::Contains("\nrun: 7\n"));
    CHECK_THAT(with("FAKE_CUDA_NO_CONTEXT=1"), Catch::Contains("\nrun: 10\n"));
    CHECK_THAT(run_program({added}, "/", {"LD_LIBRARY_PATH="}).out, Catch::Contains("\nrun: 8\n"));
  }
  {  // over a driver that lacks what came later
    const FakeCuda old(scratch, true);
    CHECK_THAT(run_program({added}, "/", old.environment()).out, Catch::Contains("\nrun: 9\n"));
  }
  {  // the package's own check, where there is a driver
    const std::string check = scratch.path("check");
    const std::string package = scratch.path("softmax_package");
    const Finished compiled = run_program(
        {"c++", "-std=c++17", "-O0", "-Wall", "-Werror", "-I" + package + "/include", package + "/tests/check.cpp",
         package + "/src/softmax.cpp", package + "/src/softmax_code.cpp", "-o", check, "-ldl", "-lpthread"},
        "/");
    INFO(compiled.err);
    REQUIRE(compiled.status == 0);
    const Finished checked = run_program({check}, "/", cuda.environment());
    CHECK(checked.status == 0);
    CHECK_THAT(checked.out, Catch::Contains("m4096n1024_f32: y: 30_registers") && Catch::EndsWith("all agree\n"));
    CHECK(run_program({check}, "/", {"LD_LIBRARY_PATH="}).status == 77);
  }
}

TEST_CASE("PTX runs where nothing was measured on anything as new, and is said to once") {
  const Scratch scratch;
  const SoftmaxPackage made(0, with_ptx(no_compiler(softmax_parameters)));
  CHECK(made.model.left_out.empty());
  CHECK(json::parse(made.files.at("kernel.json")).at("ptx") == json({"compute_90"}));
  write_package(scratch.path("package"), made.files);
  const FakeCuda cuda(scratch);
  const std::string program = built(scratch, "added", kAdded, scratch.path("package"));
  const auto on = [&](const std::string& capability, const std::string& log = "X=") {
    std::vector<std::string> environment = cuda.environment();
    environment.insert(environment.end(), {"FAKE_CUDA_CC=" + capability, "FAKE_CUDA_NAME=Later", log});
    return run_program({program}, "/", environment);
  };
  const Finished same = on("90");
  CHECK_THAT(same.out, Catch::Contains("\nrun: 0\n") && Catch::Contains("has code for sm_90a and PTX for GPUs from"));
  CHECK(same.err.empty());
  CHECK(text_of(cuda.log()).find("load 50") == std::string::npos);  // "P" of the PTX
  const Finished later = on("100");
  CHECK_THAT(later.out, Catch::StartsWith("measured: 00_naive BLOCK=32 original\n") &&
                            Catch::Contains("\nrun: 0\nagain: 0\n") && Catch::Contains("\nload: 0\n"));
  CHECK(later.err ==
        "softmax: nothing was measured on Later (compute capability 10.0): its driver compiles the PTX of the package, "
        "which has machine code for sm_90a\n");
  CHECK_THAT(text_of(cuda.log()), Catch::Contains("load 50"));
  CHECK(on("100", "SOFTMAX_LOG=0").err.empty());
  CHECK_THAT(on("80").out, Catch::Contains("\nrun: 7\n"));  // earlier than all of it
}

TEST_CASE("a package without PTX for something says which and why") {
  CodeMaker maker = with_ptx(no_compiler(softmax_parameters));
  maker.ptx = [](const DeviceInfo&, const BuildSpec& build) -> std::variant<CompiledCode, std::string> {
    if (build.entries.size() > 1) return std::string("it needs sm_90a");
    CompiledCode code;
    code.bytes = "PTX";
    for (const std::string& entry : build.entries) code.symbols[entry] = "another name";
    return code;
  };
  const SoftmaxPackage made(0, maker);
  REQUIRE(made.model.left_out.size() == 3);
  CHECK(made.model.left_out[0] == "00_naive has no PTX for compute_90: it needs sm_90a");
  CHECK(made.model.left_out[2].ends_with(" has no PTX for compute_90: its kernels have other names there"));
  CHECK(made.files.at("src/softmax_code.cpp").find("ptx") == std::string::npos);
}
