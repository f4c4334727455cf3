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
  const auto kept = kept_state(parse_cubin(output.cubin).variables, output.ptx);
  // ptxas has a name of its own for a variable within a function.
  REQUIRE(kept.size() == 6);
  CHECK_THAT(kept[0], Catch::Contains("inside"));
  CHECK(std::vector(kept.begin() + 1, kept.end()) ==
        std::vector<std::string>{"(anonymous namespace)::hidden", "hits", "k::counter", "k::launches", "memo"});
}

TEST_CASE("what is only read is no state, whatever it is called; what is written, or passed on, is") {
  const auto kept = [](const std::string& code) { return kept_state({"v"}, ".global .u32 v;\n" + code); };
  const std::vector<std::string> none, state = {"v"};
  CHECK(kept("") == none);
  CHECK(kept("mov.u64 %rd1, v; cvta.global.u64 %rd2, %rd1; add.s64 %rd3, %rd2, 4; ld.v2.u32 {%r1, %r2}, [%rd3];") ==
        none);
  CHECK(kept("ld.global.nc.u32 %r1, [v+8];") == none);
  CHECK(kept("st.global.u32 [v], %r1;") == state);
  CHECK(kept("mov.u64 %rd1, v; @%p1 st.u32 [%rd1+4], %r1;") == state);
  CHECK(kept("mov.u64 %rd1, v; st.global.u64 [%rd9], %rd1;") == state);  // its address is kept somewhere
  CHECK(kept("mov.u64 %rd1, v; atom.add.u32 %r2, [%rd1], 1;") == state);
  CHECK(kept("mov.u64 %rd1, v; xor.b64 %rd2, %rd1, 3;") == state);           // an address made in another way
  CHECK(kept("$L: st.u32 [%rd2], %r1; mov.u64 %rd2, v; bra $L;") == state);  // set below, used above
  CHECK(kept(".global .u64 other = v;") == state);
  CHECK(kept("mov.u64 %rd1, v; st.param.b64 [param0], %rd1; call.uni (retval0), vprintf, (param0, param1);") == none);
  CHECK(kept("mov.u64 %rd1, v; st.param.b64 [param0], %rd1; call.uni (retval0), mine, (param0);") == state);
  CHECK(kept(".visible .entry a() { mov.u64 %rd1, v; ld.u32 %r1, [%rd1]; ret; }\n"
             ".visible .entry b() { st.u32 [%rd1], 1; ret; }") == none);  // another function's %rd1
  CHECK(kept_state({"$str"}, "") == std::vector<std::string>{"$str"});    // of which nothing is known
}

TEST_CASE("a module's strings and tables are read; memos in a literal or in constant memory are found") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  const auto kept = [](const std::string& code) {
    const std::string source =
        "__constant__ float weights[64] = {1, 2, 3};\n__device__ const int order[4] = {3, 1, 2, 0};\n" + code;
    const NvrtcOutput output =
        compile_with_nvrtc(*nvrtc_library().api, "k.cu", source, {"k"}, {"--gpu-architecture=sm_90a"});
    REQUIRE(output.compiled);
    return kept_state(parse_cubin(output.cubin).variables, output.ptx);
  };
  CHECK(kept(R"(
extern "C" __global__ void k(float* y, int n) {
  if (n < 0) printf("n is %d\n", n);
  assert(n >= 0);
  y[threadIdx.x] = weights[n & 63] + order[threadIdx.x & 3];
})")
            .empty());
  CHECK(kept(R"(
extern "C" __global__ void k(float* y, int n) {
  // A store that the compiler sees, it makes a trap of.
  float* own = n < 1000 ? const_cast<float*>(weights) + (n & 63) : y;
  y[threadIdx.x] = *own;
  *own = n;
})") == std::vector<std::string>{"weights"});
  const auto literal = kept(R"(
extern "C" __global__ void k(char* y, int n) {
  char* own = const_cast<char*>("----------------");
  y[threadIdx.x] = own[n & 15];
  own[n & 15] = n;
})");
  REQUIRE(literal.size() == 1);
  CHECK_THAT(literal[0], Catch::StartsWith("$str"));
}

TEST_CASE("images are the same from any folder, and others where a kernel's registers or code are") {
  if (!nvrtc_library().api) {
    harness::tests::skip(nvrtc_library().missing);
    return;
  }
  const auto compiled = [](const std::string& name, const std::string& code) {
    return compile_with_nvrtc(*nvrtc_library().api, name, code, {"k"}, {"--gpu-architecture=sm_90a", "-lineinfo"})
        .cubin;
  };
  const std::string code = "extern \"C\" __global__ void k(int* p, int n) { *p = n; }";
  const std::string here = compiled("here/k.cu", code), there = compiled("another/folder/k.cu", code);
  CHECK(here != there);
  CHECK(image_hash(here) == image_hash(there));
  CHECK(image_hash(here) !=
        image_hash(compiled("here/k.cu", "extern \"C\" __global__ void k(int* p, int n) { *p = -n; }")));
  std::string changed = here;
  for (const CubinSection& section : cubin_sections(here))
    if (section.name == ".nv.info") changed[static_cast<std::size_t>(section.bytes.data() - here.data()) + 8] ^= 1;
  CHECK(changed != here);
  CHECK(image_hash(changed) != image_hash(here));
  CHECK_THROWS_AS(image_hash("no image"), Error);
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
