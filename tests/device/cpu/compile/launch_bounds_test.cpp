#include "harness/device/cpu/compile/launch_bounds.h"

#include <catch2/catch.hpp>

#include "tests/device/cpu/fixture.h"

using harness::cpu::launch_bound;
using namespace harness;
using namespace harness::test;

TEST_CASE("launch bounds are numbers, macros, constants and template arguments of the entry") {
  CHECK(launch_bound("__global__ void __launch_bounds__(256) k(int n) {}", "k", {}) == 256);
  CHECK(launch_bound("__launch_bounds__(128, 2) __global__ void k(int n);", "ns::k", {}) == 128);
  CHECK(launch_bound("#define THREADS (4 * 32)\n__global__ void __launch_bounds__(THREADS) k() {}", "k", {}) == 128);
  CHECK(launch_bound("%:define THREADS 1'0\\\n00\n__global__ void __launch_\\\nbounds__(THREADS) k() {}", "k", {}) ==
        1000);
  CHECK(launch_bound("constexpr int kThreads = 96;\n__global__ void __launch_bounds__(kThreads) k() {}", "k", {}) ==
        96);
  CHECK(launch_bound("__global__ void __launch_bounds__(BLOCK) k() {}", "k", {{"BLOCK", "64"}}) == 64);
  const char* const templated =
      "template <class T, int M, int ROWS = 2>\n__global__ void __launch_bounds__(M / ROWS * 4, 1)\n  k(T* x) {}";
  CHECK(launch_bound(templated, "k<float, 32>", {}) == 64);
  CHECK(launch_bound(templated, "k<__half,64,4>", {}) == 64);
}

TEST_CASE("where the text does not tell, there is no bound") {
  CHECK_FALSE(launch_bound("__global__ void k() {}", "k", {}));
  CHECK_FALSE(launch_bound("__global__ void __launch_bounds__(64) other() {}", "k", {}));
  CHECK_FALSE(launch_bound("// __launch_bounds__(64) k(\n__global__ void k() {}", "k", {}));
  CHECK_FALSE(launch_bound("__global__ void __launch_bounds__(unknown()) k() {}", "k", {}));
  CHECK_FALSE(launch_bound("__global__ void __launch_bounds__(1 / 0) k() {}", "k", {}));
  CHECK_FALSE(launch_bound("#define A B\n#define B A\n__global__ void __launch_bounds__(A) k() {}", "k", {}));
  CHECK_FALSE(launch_bound("__global__ void __launch_bounds__(", "k", {}));
  CHECK_FALSE(launch_bound("__launch_bounds__(64", "<", {}));
}

TEST_CASE("an artifact states launch bounds and what its parameters take") {
  const Artifact artifact = build_artifact(
      "template <int WARPS> __global__ void __launch_bounds__(32 * WARPS) k(const int* x, float a, long n, float4 h) "
      "{}",
      {"k<4>"});
  REQUIRE(artifact.entries.size() == 1);
  CHECK(artifact.entries[0].max_threads == 128);
  using enum ParameterKind;
  CHECK(artifact.entries[0].parameter_kinds == std::vector<ParameterKind>{pointer, floating, integer, unknown});
}

TEST_CASE("code for an architecture is seen as NVRTC sees it for sm_90a") {
  CHECK_NOTHROW(build_artifact(
      "#if __CUDA_ARCH__ >= 800 && __CUDA_ARCH__ < 1000\n__global__ void k(int* x) { *x = 1; }\n#endif", {"k"}));
  CHECK_NOTHROW(
      build_artifact("#ifndef __CUDA_ARCH__\n#error host\n#endif\n__global__ void k(int* x) { *x = 2; }", {"k"}));
}
