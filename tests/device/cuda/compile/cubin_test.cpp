#include "harness/device/cuda/compile/cubin.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/device/cuda/compile/module_state.h"
#include "harness/device/cuda/compile/nvrtc_program.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::cuda;

TEST_CASE("bytes that are no cubin are refused in a sentence") {
  REQUIRE_THROWS_AS(parse_cubin(""), Error);
  REQUIRE_THROWS_AS(parse_cubin(std::string(64, 'x')), Error);
}

TEST_CASE("PTX comes with machine code, and variables in writable memory are listed") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  const char* source = R"(
__device__ int hits;
__device__ float memo[64] = {1};
__device__ int never_used;
__constant__ int bank;
namespace { __device__ int hidden; }
extern "C" __global__ void k(int* p, int n) {
  static __device__ int counter;
  static int launches = 5;
  __shared__ int tile[4];
  tile[threadIdx.x % 4] = n;
  __syncthreads();
  asm volatile("{ .global .u32 inside; st.global.u32 [inside], 1; }");
  if (n < 0) printf("%d\n", n);
  p[0] = atomicAdd(&hits, 1) + counter++ + launches++ + hidden++ + bank + tile[n % 4];
  memo[n] = 3;
}
extern "C" __global__ void pure(int* p) { p[0] = bank; }
)";
  const NvrtcOutput output = compile_with_nvrtc(*nvrtc_library().api, "k.cu", source, {"k", "pure"},
                                                {"--gpu-architecture=sm_90a", "-default-device"});
  INFO(output.log);
  REQUIRE(output.compiled);
  CHECK_THAT(output.ptx, Catch::Contains(".target sm_90a") && Catch::Contains(".entry k("));
  const auto kept = kept_state(parse_cubin(output.cubin).variables, output.ptx, source);
  // ptxas has a name of its own for a variable within a function.
  REQUIRE(kept.size() == 6);
  CHECK_THAT(kept[0], Catch::Contains("inside"));
  CHECK(std::vector(kept.begin() + 1, kept.end()) ==
        std::vector<std::string>{"(anonymous namespace)::hidden", "hits", "k::counter", "k::launches", "memo"});
}

TEST_CASE("strings of the compiler are no state, but a variable that is called like one is") {
  CHECK(kept_state({"$str", "$str$1", "__unnamed_1"}, "", "printf").empty());
  CHECK(kept_state({"$str$x"}, "", "") == std::vector<std::string>{"$str$x"});
  CHECK(kept_state({"$str"}, ".global $str; ld [$str];", "__device__ int $str;") == std::vector<std::string>{"$str"});
  CHECK(kept_state({"a", "b"}, ".global .u32 a;\n.global .u32 b;\nst.global [b], 1;", "") ==
        std::vector<std::string>{"b"});
  CHECK(kept_state({"_ZN29_INTERNAL_00000000_4_k_cu_abc1a5innerE"}, "", "").size() == 1);
}

TEST_CASE("a cubin cut anywhere or with bytes changed is read or refused, never beyond its end") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  const NvrtcOutput output =
      compile_with_nvrtc(*nvrtc_library().api, "k.cu", "extern \"C\" __global__ void k(int* p, int n) { *p = n; }",
                         {"k"}, {"--gpu-architecture=sm_90a"});
  REQUIRE(output.compiled);
  const Cubin whole = parse_cubin(output.cubin);
  CHECK(whole.kernels.at("k").parameter_bytes == std::vector<std::int64_t>{8, 4});
  int refused = 0;
  for (std::size_t size = 0; size < output.cubin.size(); size += 37) {
    const std::string cut = output.cubin.substr(0, size);  // its own allocation, for the address sanitizer
    try {
      parse_cubin(cut);
    } catch (const Error&) {
      ++refused;
    }
  }
  CHECK(refused > 10);
  for (std::size_t at = 0; at < output.cubin.size(); at += 5) {
    std::string changed = output.cubin;
    changed[at] = static_cast<char>(~changed[at]);
    try {
      parse_cubin(changed);
    } catch (const Error&) {
      ++refused;
    }
  }
}
