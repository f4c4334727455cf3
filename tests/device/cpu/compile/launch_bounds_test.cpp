#include "harness/device/cpu/compile/launch_bounds.h"

#include <catch2/catch.hpp>

using harness::cpu::launch_bound;

TEST_CASE("launch bounds are numbers, macros, constants and template arguments of the entry") {
  CHECK(launch_bound("__global__ void __launch_bounds__(256) k(int n) {}", "k", {}) == 256);
  CHECK(launch_bound("__launch_bounds__(128, 2) __global__ void k(int n);", "ns::k", {}) == 128);
  CHECK(launch_bound("#define THREADS (4 * 32)\n__global__ void __launch_bounds__(THREADS) k() {}", "k", {}) == 128);
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
