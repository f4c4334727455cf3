#include <catch2/catch.hpp>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

const char* const kWarpSource = R"(
#include <cuda_fp16.h>
#include <cuda_bf16.h>

// One row of 32 a case; all widths, so that the test can compute what each lane must get.
template <typename T> __global__ void shuffles(float* out) {
  const unsigned lane = threadIdx.x, all = 0xffffffffu;
  const T mine = T(float(lane));
  int row = 0;
  for (int width = 2; width <= 32; width *= 2)
    for (int n = 0; n < 32; n += 5) {
      out[32 * row++ + lane] = float(__shfl_sync(all, mine, n, width));
      out[32 * row++ + lane] = float(__shfl_up_sync(all, mine, n, width));
      out[32 * row++ + lane] = float(__shfl_down_sync(all, mine, n, width));
      out[32 * row++ + lane] = float(__shfl_xor_sync(all, mine, n, width));
    }
}

__global__ void wide(unsigned long long* out) {
  const unsigned all = 0xffffffffu;
  const unsigned long long big = 0x1122334455667788ull + ((unsigned long long)threadIdx.x << 60);
  const __half2 pair = __floats2half2_rn(threadIdx.x, -1.0f);
  const __nv_bfloat162 brain = __floats2bfloat162_rn(1.0f, threadIdx.x);
  const unsigned long long got = __shfl_sync(all, big, 3);
  const double d = __shfl_xor_sync(all, 1.0 / (1 + threadIdx.x), 1);
  const __half2 p = __shfl_down_sync(all, pair, 1);
  const __nv_bfloat162 b = __shfl_sync(all, brain, 9);
  if (threadIdx.x == 0) {
    out[0] = got;
    out[1] = d == 0.5;
    out[2] = __low2float(p) == 1.0f && __high2float(p) == -1.0f;
    out[3] = __high2float(b) == 9.0f && __low2float(b) == 1.0f;
  }
}

__global__ void votes(unsigned* out) {
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x / 32, all = 0xffffffffu;
  unsigned* row = out + 16 * warp;
  const unsigned odd = __ballot_sync(all, lane & 1), every = __all_sync(all, lane < 32), none = __all_sync(all, lane > 0);
  const unsigned some = __any_sync(all, lane == 31), nobody = __any_sync(all, 0);
  const unsigned peers = __match_any_sync(all, lane % 3);
  int same = -1, mixed = -1;
  const unsigned whole = __match_all_sync(all, 2.5, &same), parts = __match_all_sync(all, lane, &mixed);
  const int sum = __reduce_add_sync(all, -(int)lane), low = __reduce_min_sync(all, (int)lane - 7);
  const unsigned high = __reduce_max_sync(all, lane ? lane : 0x80000000u), bits = __reduce_xor_sync(all, 1u << lane);
  unsigned subset = 0;
  if (lane < 8) subset = __ballot_sync(0xffu, lane != 2);
  else subset = __ballot_sync(0xffffff00u, lane == 20);
  __syncwarp();
  const unsigned active = __activemask();
  if (lane == 5) {
    const unsigned row_values[] = {odd, every, none, some, nobody, peers, whole, (unsigned)same, parts, (unsigned)mixed,
                                   (unsigned)sum, (unsigned)low, high, bits, subset, active};
    for (int i = 0; i < 16; ++i) row[i] = row_values[i];
  }
}

// Lanes that have exited excuse themselves from votes.
__global__ void early_exit(unsigned* out) {
  if (threadIdx.x >= 20) return;
  const unsigned there = __ballot_sync(0xffffffffu, 1);
  __syncwarp();
  if (threadIdx.x == 0) out[0] = there;
}

// A block whose last warp is not full: lanes that never were do not hold anybody up.
__global__ void partial(float* out) {
  float v = 1;
  for (int i = 16; i; i /= 2) v += __shfl_xor_sync(0xffffffffu, v, i);
  out[threadIdx.x] = v;
}
)";

const Artifact& warp_artifact() {
  static const Artifact built = build_artifact(
      kWarpSource, {"shuffles<int>", "shuffles<unsigned long long>", "shuffles<float>", "shuffles<double>",
                    "shuffles<__half>", "shuffles<__nv_bfloat16>", "wide", "votes", "early_exit", "partial"});
  return built;
}

/// CUDA's rule for the four shuffles, written from its documentation: what lane `lane` gets.
float expected_shuffle(int kind, int lane, int n, int width) {
  const int first = lane / width * width;
  int source = lane;
  if (kind == 0) source = first + n % width;
  if (kind == 1) source = lane - n < first ? lane : lane - n;
  if (kind == 2) source = lane + n >= first + width ? lane : lane + n;
  if (kind == 3) source = (lane ^ n) >= first + width ? lane : lane ^ n;
  return static_cast<float>(source);
}

}  // namespace

TEST_CASE("shuffles give every lane the value that CUDA names, for all widths and types") {
  std::vector<float> expected;
  for (int width = 2; width <= 32; width *= 2)
    for (int n = 0; n < 32; n += 5)
      for (int kind = 0; kind < 4; ++kind)
        for (int lane = 0; lane < 32; ++lane) expected.push_back(expected_shuffle(kind, lane, n, width));
  for (const std::string type : {"int", "unsigned long long", "float", "double", "__half", "__nv_bfloat16"}) {
    Bench bench(warp_artifact());
    bench.buffer("out", std::vector<float>(expected.size())).run("shuffles<" + type + ">", {}, {32}, {named("out")});
    CHECK(bench.read<float>("out") == expected);
  }
}

TEST_CASE("shuffles carry 64 bits and pairs whole") {
  Bench bench(warp_artifact());
  bench.buffer("out", std::vector<std::uint64_t>(4)).run("wide", {}, {32}, {named("out")});
  CHECK(bench.read<std::uint64_t>("out") == std::vector<std::uint64_t>{0x4122334455667788ull, 1, 1, 1});
}

TEST_CASE("votes, matches and reductions work warp by warp and on disjoint masks") {
  Bench bench(warp_artifact());
  bench.buffer("out", std::vector<unsigned>(32)).run("votes", {}, {64}, {named("out")});
  const auto out = bench.read<unsigned>("out");
  const std::vector<unsigned> expected = {0xaaaaaaaau,
                                          1,
                                          0,
                                          1,
                                          0,
                                          0x24924924u,
                                          0xffffffffu,
                                          1,
                                          0,
                                          0,
                                          static_cast<unsigned>(-496),
                                          static_cast<unsigned>(-7),
                                          0x80000000u,
                                          0xffffffffu,
                                          0xfbu,
                                          1u << 5};
  CHECK(std::vector<unsigned>(out.begin(), out.begin() + 16) == expected);
  CHECK(std::vector<unsigned>(out.begin() + 16, out.end()) == expected);
}

TEST_CASE("lanes that have exited have no vote and hold nobody up") {
  Bench bench(warp_artifact());
  bench.buffer("out", std::vector<unsigned>(1)).run("early_exit", {}, {32}, {named("out")});
  CHECK(bench.read<unsigned>("out")[0] == 0xfffffu);
}

TEST_CASE("a shuffle that reads a lane beyond the end of the block gets a NaN") {
  Bench bench(warp_artifact());
  bench.buffer("out", std::vector<float>(48)).run("partial", {}, {48}, {named("out")});
  const auto out = bench.read<float>("out");
  CHECK(out[0] == 32);
  CHECK(out[40] != out[40]);
}

}  // namespace harness::test
