#include "harness/package/standalone.h"

#include <catch2/catch.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "tests/package/candidates.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::package;
using namespace harness::package::test;
using harness::tests::Finished;
using harness::tests::run_program;
using harness::tests::Scratch;

namespace {

const Origin kOrigin{"iteration 7 of campaign 3: passed", "harness 0", "", "c0ffee"};

// Both sides have the same names, also as C sees them.
constexpr const char* kOriginal = R"(
#include <cmath>
#define TILE 1
extern "C" __global__ void twice(const float* x, float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = FACTOR * x[i], z[i] = x[i] * TILE;
}
)";
constexpr const char* kWinner = R"(
#define TILE (1 + 0)
extern "C" __global__ void twice(const float* x, float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[i], z[i] = x[i] * TILE + (i == 3 ? 0.5f : 0.f);
}
)";

/// g++ in the place of nvcc, over a fake of CUDA.
Finished compiled(const Scratch& scratch, const std::string& program, const std::vector<std::string>& options) {
  scratch.write("program.cu", program);
  std::vector<std::string> words{"g++",
                                 "-std=c++17",
                                 "-O0",
                                 "-Wall",
                                 "-Werror=return-type",
                                 "-x",
                                 "c++",
                                 "-I" + std::string(HARNESS_SOURCE_DIR) + "/tests/fakes/cuda"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {scratch.path("program.cu"), "-o", scratch.path("program")});
  return run_program(words, scratch.path(""));
}

Realized with_everything() {
  Realized made = a_candidate("10_all", "all<float, 2>",
                              "template <typename T, int N> __global__ void all(const T*, T*, T*, int) {}\n", 96);
  std::vector<Argument>& arguments = made.problem.arguments;
  arguments.push_back(drawn(tensor("state", ArgumentKind::inout, {4, 8}), "uniform", {{"lo", -1}, {"hi", 1}}));
  arguments.push_back(drawn(tensor("table", ArgumentKind::input, {4, 3}, Dtype::s32), "block_table",
                            {{"lengths", "lengths"}, {"block", 2}, {"blocks", 40}, {"unused", "valid"}}));
  arguments.push_back(drawn(tensor("starts", ArgumentKind::input, {5}, Dtype::s64), "prefix_sum", {{"of", "lengths"}}));
  arguments.push_back(
      drawn(tensor("lengths", ArgumentKind::input, {4}, Dtype::s32), "ragged", {{"hi", 6}, {"total", 12}}));
  arguments.push_back(drawn(tensor("experts", ArgumentKind::input, {6, 2}, Dtype::u8), "routing", {{"experts", 8}}));
  arguments.push_back(drawn(tensor("order", ArgumentKind::input, {12}, Dtype::s16), "permutation", {{"n", 6}}));
  arguments.push_back(drawn(tensor("mask", ArgumentKind::input, {9}, Dtype::b8), "mask"));
  arguments.push_back(drawn(tensor("half", ArgumentKind::input, {9}, Dtype::bf16), "constant", {{"value", 3}}));
  Argument ragged = tensor("ragged", ArgumentKind::output, {4, 6, 2}, Dtype::f16);
  ragged.valid_rows = "lengths";
  Argument view = tensor("view", ArgumentKind::view, {2});
  view.of = "x", view.offset = 4;
  Argument pointers = tensor("pointers", ArgumentKind::pointers, {2});
  pointers.of = "y", pointers.offsets = {0, 8};
  Argument structure = tensor("structure", ArgumentKind::structure, {});
  structure.struct_bytes = 8;
  structure.fields = {{"a", Dtype::s32, std::int64_t{-2}, 0}, {"b", Dtype::f16, 0.5, 4}};
  arguments.insert(arguments.end(), {ragged, view, pointers, structure});
  Argument absent = tensor("absent", ArgumentKind::output, {2});
  absent.absent = true;
  arguments.push_back(absent);
  made.plan.workspaces = {{"scratch", 64, 256, true}};
  Launch& launch = std::get<Launch>(made.plan.steps[0]);
  for (const char* name : {"view", "pointers", "structure", "absent", "scratch"})
    launch.args.push_back(NamedArgument{name, 0});
  launch.args.push_back(TensorMap{"x", Dtype::f32, {3, 32}, {32, 1}, {1, 32}, "128b", "256b"});
  launch.args.push_back(ScalarArgument{Dtype::f32, 0.1});
  launch.args.push_back(ScalarArgument{Dtype::f64, -1e300});
  launch.cluster = {2, 1, 1};
  launch.shared = 60000;
  launch.resident = 2;
  launch.pdl = launch.cooperative = true;
  made.plan.steps.push_back(Memset{"scratch", 0, 64, 7});
  return made;
}

std::string refusal(const Realized& original, const Realized& winner) {
  try {
    standalone_program(original, winner, kOrigin);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a standalone program runs both sides, and says how far apart they are and how long they took") {
  const Scratch scratch;
  const std::string program = standalone_program(a_candidate("00_naive", "twice", kOriginal, 100),
                                                 a_candidate("10_sum", "twice", kWinner, 100), kOrigin);
  const Finished compiler = compiled(scratch, program, {});
  INFO(compiler.err);
  REQUIRE(compiler.status == 0);
  const Finished finished = run_program({scratch.path("program")}, scratch.path(""));
  INFO(finished.out << finished.err);
  CHECK(finished.status == 0);
  CHECK_THAT(finished.out, Catch::Contains("twins n100 on a fake of CUDA\n"));
  CHECK_THAT(finished.out,
             Catch::Contains("output y: max abs error 0, relative L2 error 0, 0 of 100 elements differ\n"));
  CHECK_THAT(finished.out, Catch::Contains("output z: max abs error 0.5, relative L2 error 0.0") &&
                               Catch::Contains(", 1 of 100 elements differ\n"));
  CHECK_THAT(finished.out, Catch::Contains("original 00_naive BLOCK=32 ") &&
                               Catch::Contains("winner   10_sum BLOCK=32 ") &&
                               Catch::Contains(" us a call, median of "));
}

TEST_CASE("everything that a plan may hold compiles, but what cannot be had alone") {
  const Scratch scratch;
  const Realized made = with_everything();
  const std::string program = standalone_program(made, made, kOrigin);
  const Finished compiler = compiled(scratch, program, {"-fsyntax-only"});
  INFO(compiler.err);
  CHECK(compiler.status == 0);
  for (const char* part :
       {".value<void*>(nullptr)", ".raw({0xfe, 0xff, 0xff, 0xff, 0x00, 0x38, 0x00, 0x00})",
        "tensor_map(memory_.at(\"x\"), CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {32, 3}, {1, 32}, {32, 1}",
        "original.zero(\"scratch\", 64);", "winner.restore(\"state\", input_3, 128);",
        "winner.memory.at(\"ragged\"), &numbers_6)", "shape_.resident = 2;"})
    CHECK_THAT(program, Catch::Contains(part));
  CHECK(program.find("Numbers numbers_6") < program.find("Numbers numbers_4"));  // lengths before the table over them
}

// Each side stands in a namespace of its own, with the headers that it includes.
TEST_CASE("no header that a candidate includes names another from outside of all namespaces") {
  for (const auto& each : std::filesystem::directory_iterator(HARNESS_SOURCE_DIR "/kernels/include/harness")) {
    const std::string name = each.path().filename().string();
    if (name.starts_with("wide_")) continue;  // of references, which are no side
    INFO(name);
    const std::string text = read_file(each.path().string());
    for (std::size_t at = text.find("::harness::"); at != std::string::npos; at = text.find("::harness::", at + 1))
      CHECK(std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0);
  }
}

TEST_CASE("what cannot be had alone is one sentence") {
  const Realized plain = a_candidate("00_naive", "twice", kOriginal, 100);
  Realized library = plain;
  library.plan.steps.push_back(LibraryCall{"cublas", "gemm", json::object()});
  CHECK_THAT(refusal(plain, library), Catch::Contains("its plan calls cublas (gemm)"));
  Realized custom = plain;
  custom.problem.arguments[0].gen->kind = "custom";
  CHECK_THAT(refusal(custom, custom), Catch::Contains("'x' is drawn by 'custom'"));
  Realized packed = plain;
  packed.problem.arguments[1].dtype = Dtype::s4;
  CHECK_THAT(refusal(packed, packed), Catch::Contains("'y' is of type s4"));
  Realized fast = plain;
  fast.build.options = {"--use_fast_math", "--std=c++20"};
  CHECK_THAT(refusal(plain, fast), Catch::Contains("--use_fast_math"));
  fast.build.options = {"--std=c++20"};
  CHECK(refusal(plain, fast).empty());
}
