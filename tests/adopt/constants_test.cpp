#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// `__constant__` variables that the host fills.
using namespace harness;
using namespace harness::tests;

namespace {

const std::string kHead = "void run(float* x, float* y, int n) {\n  float h[16]; int o[4];\n";
const std::string kLaunch = "  k<<<(n + 63) / 64, 64>>>(x, y, n);\n}\n";

adopt::Adopted adopted_text(const std::string& device, const std::string& host) {
  return adopted_source(device + kHead + host + kLaunch);
}

std::string refusal(const std::string& declared, const std::string& host) {
  try {
    adopted_text(declared +
                     "__global__ void k(float* x, float* y, int n) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n"
                     "  if (i < n) y[i] = x[i] * USED;\n}\n",
                 host);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("variables that the host fills are inputs as large as they are declared, for the reference in double too") {
  const adopt::Adopted found = adopted_text(
      "namespace filters { __constant__ float2 pairs[2][4]; }\n__constant__ float unused, gain;\n"
      "__constant__ float fixed[2] = {1, 2};\n__constant__ int steps[4];\n"
      "__device__ float one(int i) { return filters::pairs[i % 2][i % 4].y * gain + fixed[i % 2]; }\n"
      "__global__ void k(float* x, float* y, int n) {\n  int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n) y[i] = one(i) * x[i] + steps[i % 4];\n}\n",
      "  cudaMemcpyToSymbol(filters::pairs, h, sizeof h);\n  CHECK(cudaMemcpyToSymbolAsync(gain, h, 4, 0, "
      "cudaMemcpyHostToDevice, 0));\n  cudaMemcpyToSymbol(unused, h, 4);\n  cudaMemcpyToSymbol(&steps, o, sizeof "
      "o);\n");
  CHECK(pointers_of(found) ==
        "x: input f32 [n]\ny: output f32 [n]\npairs: input f32 [2, 4, 2]\ngain: input f32 [1]\nsteps: input s32 [4]\n");
  REQUIRE(found.files.size() == 4);
  CHECK(found.reference.wide);
  const std::string line =
      "constants = { { \"filters::pairs\", from = \"pairs\" }, { \"gain\", from = \"gain\" }, { \"steps\", from = "
      "\"steps\" } }";
  CHECK_THAT(found.files[0].second, Catch::Contains(line));
  CHECK_THAT(found.files[1].second, Catch::Contains(line) && Catch::Contains("args = { \"x\", \"y\", i32(w.n) }"));
}

TEST_CASE("whole numbers in constant memory that lead into an array are drawn below its extent") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = adopted_text(
      "__constant__ int steps[4];\n__global__ void k(float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = i < 4 ? x[steps[i]] : x[i];\n}\n",
      "  cudaMemcpyToSymbol(steps, o, sizeof o);\n");
  CHECK_THAT(found.files[0].second,
             Catch::Contains("input { \"steps\", dtype = \"s32\", shape = { 4 }, align = 256, gen = "
                             "integers { lo = 0, hi = function(w) return w.n - 1 end } }"));
}

TEST_CASE("constant memory that cannot be an argument is refused with one sentence") {
  CHECK_THAT(refusal("#define USED t[0]\n__constant__ float t[4];\n", ""),
             Catch::Contains("mine.cu:2: the kernel needs 't', which is never filled in the files that are read "
                             "(cudaMemcpyToSymbol)"));
  CHECK_THAT(refusal("#define USED t[0]\n__constant__ float t[4];\n", "  void* p; cudaGetSymbolAddress(&p, t);\n"),
             Catch::Contains("is filled by its address (cudaGetSymbolAddress)"));
  CHECK_THAT(refusal("#define USED t\n__constant__ int t;\n", "  cudaMemcpyToSymbol(t, o, 4);\n"),
             Catch::Contains("is one whole number in __constant__ memory"));
  CHECK_THAT(refusal("#define USED t.a\nstruct S { float a; int b; };\n__constant__ S t;\n",
                     "  cudaMemcpyToSymbol(t, o, 8);\n"),
             Catch::Contains("is of the type S in __constant__ memory"));
}

TEST_CASE("a size that the host asserts to be a multiple of a number has it as its step") {
  const adopt::Adopted found = self_referenced(
      "#include <assert.h>\n__constant__ float t[2];\n__global__ void k(float* x, float* y, int n) {\n"
      "  int i = blockIdx.x * 32 + threadIdx.x;\n  y[i] = x[i] * t[i % 2];\n}\n"
      "void run(float* x, float* y, int n, float* h) {\n  assert(n % 32 == 0);\n"
      "  cudaMemcpyToSymbol(t, h, 8);\n  k<<<n / 32, 32>>>(x, y, n);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [n]\ny: output f32 [n]\nt: input f32 [2]\n");
  CHECK(found.kernel.sizes.at(0).step == 32);
}
