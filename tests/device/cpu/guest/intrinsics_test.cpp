#include <catch2/catch.hpp>
#include <cmath>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

const char* const kIntrinsicsSource = R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <math_constants.h>
#include <vector_types.h>

__global__ void integers(unsigned long long* out) {
  const long long values[] = {
      __popc(0xf0f0u), __popcll(~0ull), __clz(1), __clz(0), __clzll(1ll << 40), __ffs(8), __ffs(0), __ffsll(1ll << 50),
      __brev(1u), (long long)__brevll(1ull), __byte_perm(0x33221100u, 0x77665544u, 0x7250u), __byte_perm(0x80u, 0u, 0x8888u),
      __funnelshift_l(0x80000000u, 1u, 1), __funnelshift_r(0u, 1u, 1), __funnelshift_lc(5u, 6u, 40), __funnelshift_rc(5u, 6u, 40),
      __mulhi(1 << 30, 8), __umulhi(0xffffffffu, 2u), (long long)__umul64hi(1ull << 63, 4ull), __mul24(-3, 5),
      __dp4a(0x01ff0203, 0x01020304, 10), __dp4a(0xff000000u, 0x02000000u, 1u), __hadd(-3, 6), __rhadd(3, 4),
      __float_as_int(1.0f), __float_as_uint(-0.0f), (long long)__int_as_float(0x40000000), __double2hiint(1.0),
      __float2int_rn(2.5f), __float2int_rn(3.5f), __float2int_rz(-2.9f), __float2int_rd(-2.1f), __float2int_ru(2.1f),
      __float2int_rn(1e20f), __float2int_rn(NAN), __float2uint_rz(-5.0f), lrintf(2.5f), llrintf(-3.5f), __fns(0b10110u, 0, 2),
      min(-1, 1), max(1u, 2u), min(3, 4u), __sad(3, -4, 10), abs(-3), sizeof(float3), alignof(float4), alignof(int2), sizeof(double4),
      __double2ll_rn(1e30), warpSize};
  for (int i = 0; i < 50; ++i) out[i] = values[i];
}

__global__ void floats(float* out) {
  float s, c;
  sincosf(0.5f, &s, &c);
  float4 v = make_float4(1, 2, 3, 4);
  const int2 pair = make_int2(5, 6);
  const float values[] = {__expf(1), exp2f(3), __fdividef(1, 4), rsqrtf(16), __fmaf_rn(2, 3, 4), __frcp_rn(8), __saturatef(1.5f),
      __saturatef(-1), __saturatef(NAN), __fsqrt_rn(9), __logf(1), __log2f(8), __powf(2, 5), fmaxf(NAN, 2), __fadd_rz(1.0f, 0x1p-25f), __fadd_ru(1.0f, 0x1p-25f),
      __fmul_rn(3, 5), rintf(2.5f), copysignf(2, -1), ldexpf(1, 4), s * s + c * c, v.x + v.w, float(pair.y), __ldg(&v.z), exp10f(2.0f),
      CUDART_INF_F, __uint2float_rn(7u), __double2float_rz(1 + 0x1p-30), normcdff(0), cospif(1), float(isnan(CUDART_NAN_F)), __frsqrt_rn(4)};
  for (int i = 0; i < 32; ++i) out[i] = values[i];
}

__global__ void atomics(int* i, unsigned* u, unsigned long long* l, float* f, double* d, __half2* h, __nv_bfloat16* b, int* old) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&i[0], 1);
  atomicSub(&i[1], 2);
  atomicMin(&i[2], -t);
  atomicMax(&i[3], t);
  atomicOr(&u[0], 1u << (t % 32));
  atomicAnd(&u[1], ~(1u << (t % 32)));
  atomicXor(&u[2], 3u);
  atomicInc(&u[3], 6u);
  atomicDec(&u[4], 6u);
  atomicAdd(&l[0], 1ull << 33);
  atomicMax(&l[1], (unsigned long long)t);
  atomicAdd(&f[0], 0.5f);
  atomicAdd(&d[0], 0.25);
  if (t < 1000) { atomicAdd(h, __floats2half2_rn(1, 2)); atomicAdd(b, __nv_bfloat16(t < 100 ? 1.0f : 0.0f)); }
  int seen = i[4], assumed;   // a CAS loop
  do { assumed = seen; seen = atomicCAS(&i[4], assumed, assumed + 3); } while (seen != assumed);
  old[atomicAdd(&i[5], 1)] = t;
  if (t == 0) f[1] = atomicExch(&f[2], 9.0f);
}
)";

const Artifact& intrinsics_artifact() {
  static const Artifact built = build_artifact(kIntrinsicsSource, {"integers", "floats", "atomics"});
  return built;
}

}  // namespace

TEST_CASE("integer intrinsics give the values of the CUDA documentation") {
  Bench bench(intrinsics_artifact());
  bench.buffer("out", std::vector<std::int64_t>(50)).run("integers", {}, {1}, {named("out")});
  const std::vector<std::int64_t> expected = {8,
                                              64,
                                              31,
                                              32,
                                              23,
                                              4,
                                              0,
                                              51,
                                              0x80000000ll,
                                              static_cast<std::int64_t>(1ull << 63),
                                              0x77225500,
                                              0xffffffffll,
                                              3,
                                              0x80000000ll,
                                              5,
                                              6,
                                              2,
                                              1,
                                              2,
                                              -15,
                                              10 + 1 - 2 + 6 + 12,
                                              0xff * 2 + 1,
                                              1,
                                              4,
                                              0x3f800000,
                                              0x80000000ll,
                                              2,
                                              0x3ff00000,
                                              2,
                                              4,
                                              -2,
                                              -3,
                                              3,
                                              0x7fffffff,
                                              0,
                                              0,
                                              2,
                                              -4,
                                              2,
                                              -1,
                                              2,
                                              3,
                                              17,
                                              3,
                                              12,
                                              16,
                                              8,
                                              32,
                                              INT64_MAX,
                                              32};
  CHECK(bench.read<std::int64_t>("out") == expected);
}

TEST_CASE("float intrinsics give the values of the CUDA documentation") {
  Bench bench(intrinsics_artifact());
  bench.buffer("out", std::vector<float>(32)).run("floats", {}, {1}, {named("out")});
  const std::vector<float> expected = {std::exp(1.0f),
                                       8,
                                       0.25f,
                                       0.25f,
                                       10,
                                       0.125f,
                                       1,
                                       0,
                                       0,
                                       3,
                                       0,
                                       3,
                                       32,
                                       2,
                                       1,
                                       1 + 0x1p-23f,
                                       15,
                                       2,
                                       -2,
                                       16,
                                       1,
                                       5,
                                       6,
                                       3,
                                       100,
                                       INFINITY,
                                       7,
                                       1,
                                       0.5f,
                                       -1,
                                       1,
                                       0.5f};
  const auto out = bench.read<float>("out");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("value " << i);
    CHECK(out[i] == Approx(expected[i]).epsilon(1e-6));
  }
}

TEST_CASE("atomics are atomic between the blocks of a grid") {
  constexpr int kThreads = 64 * 128;
  Bench bench(intrinsics_artifact());
  bench.buffer("i", std::vector<int>(6))
      .buffer("u", std::vector<unsigned>{0, 0xffffffffu, 0, 0, 0})
      .buffer("l", std::vector<std::uint64_t>(2));
  bench.buffer("f", std::vector<float>{0, 0, 4})
      .buffer("d", std::vector<double>(1))
      .buffer("h", std::vector<std::uint16_t>(2));
  bench.buffer("b", std::vector<std::uint16_t>(1)).buffer("old", std::vector<int>(kThreads, -1));
  bench.run("atomics", {64}, {128},
            {named("i"), named("u"), named("l"), named("f"), named("d"), named("h"), named("b"), named("old")});
  CHECK(bench.read<int>("i") ==
        std::vector<int>{kThreads, -2 * kThreads, 1 - kThreads, kThreads - 1, 3 * kThreads, kThreads});
  CHECK(bench.read<unsigned>("u") == std::vector<unsigned>{0xffffffffu, 0, 0, kThreads % 7, (7 - kThreads % 7) % 7});
  CHECK(bench.read<std::uint64_t>("l") == std::vector<std::uint64_t>{std::uint64_t{kThreads} << 33, kThreads - 1});
  CHECK(bench.read<float>("f") == std::vector<float>{kThreads / 2, 4, 9});
  CHECK(bench.read<double>("d")[0] == kThreads / 4);
  CHECK(bench.read<std::uint16_t>("h") == std::vector<std::uint16_t>{0x63d0, 0x67d0});  // 1000, 2000
  CHECK(bench.read<std::uint16_t>("b")[0] == 0x42c8);                                   // 100
  auto old = bench.read<int>("old");
  std::sort(old.begin(), old.end());
  for (int t = 0; t < kThreads; ++t)
    if (old[t] != t) FAIL("thread " << t << " wrote " << old[t]);
}

}  // namespace harness::test
