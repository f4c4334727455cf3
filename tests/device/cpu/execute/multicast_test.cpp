#include <catch2/catch.hpp>
#include <numeric>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

// Each of the two blocks of a cluster loads half of every tile for both, and sums the whole tile.
const char* const kMulticast = R"(
#include <harness/multicast.cuh>
using namespace harness;

constexpr int kRounds = 6, kHalf = 4 * 32;

// TO_ALL: who has read a tile says so in both blocks, as it must. BLOCKS: the mask of the loads.
template <bool TO_ALL, int BLOCKS> __device__ void sum_tiles(int* out, const TensorMap& map) {
  __shared__ __align__(128) int tile[2 * kHalf];
  __shared__ Mbarrier full, empty;
  const unsigned rank = cluster_rank();
  if (threadIdx.x == 0) {
    mbarrier_init(&full, 1);
    mbarrier_init(&empty, TO_ALL ? 2 : 1);
    mbarrier_init_fence();
  }
  cluster_sync();
  for (int round = 0; round < kRounds; ++round) {
    if (threadIdx.x == 0) {
      mbarrier_wait(&empty, (round & 1) ^ 1);
      mbarrier_arrive_expect(&full, 2 * kHalf * sizeof(int));
      tma_load_multicast(tile + rank * kHalf, map, &full, BLOCKS, 0, 8 * round + 4 * rank);
    }
    mbarrier_wait(&full, round & 1);
    int sum = 0;
    for (int i = threadIdx.x; i < 2 * kHalf; i += 32) sum += tile[i];
    for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, far);
    if (threadIdx.x == 0) out[blockIdx.x * kRounds + round] = sum;
    __syncwarp();
    if (TO_ALL && threadIdx.x < 2) mbarrier_arrive_at(&empty, threadIdx.x);
    if (!TO_ALL && threadIdx.x == 0) mbarrier_arrive(&empty);
  }
  __syncwarp();
  cluster_sync();
}
__global__ void to_all(int* out, const __grid_constant__ TensorMap map) { sum_tiles<true, 3>(out, map); }
__global__ void to_itself(int* out, const __grid_constant__ TensorMap map) { sum_tiles<false, 3>(out, map); }
__global__ void no_such_block(int* out, const __grid_constant__ TensorMap map) { sum_tiles<true, 7>(out, map); }
)";

constexpr int kTileRounds = 6, kTileValues = 256;

Bench& run_multicast(Bench& bench, const std::string& entry) {
  std::vector<int> in(kTileRounds * kTileValues);
  std::iota(in.begin(), in.end(), 0);
  Argument of_in, of_out;
  of_in.name = "in";
  of_out.name = "out";
  of_out.kind = ArgumentKind::output;
  bench.executable().problem.arguments = {of_in, of_out};
  bench.buffer("in", in).buffer("out", std::vector<int>(2 * 2 * kTileRounds));
  Launch launch{.entry = entry, .grid = {4}, .block = {32}, .cluster = {2}};
  launch.args = {named("out"), TensorMap{"in", Dtype::s32, {8 * kTileRounds, 32}, {32, 1}, {4, 32}, "none", "none"}};
  return bench.run({launch});
}

Artifact build_multicast(bool checked) {
  return build_with_headers(kMulticast, {"to_all", "to_itself", "no_such_block"}, checked);
}

}  // namespace

TEST_CASE("a multicast load reaches all blocks that it names, and arrivals at another block's barrier count there") {
  const Artifact artifact = build_multicast(false);
  for (int run = 0; run < 2; ++run) {  // loads are early in the one and late in the other
    Bench bench(artifact);
    const auto sums = run_multicast(bench, "to_all").read<int>("out");
    for (int block = 0; block < 4; ++block)
      for (int round = 0; round < kTileRounds; ++round)
        CHECK(sums[static_cast<std::size_t>(block * kTileRounds + round)] ==
              kTileValues * kTileValues * round + kTileValues * (kTileValues - 1) / 2);
  }
  CHECK_THAT(fault_of([&] {
               Bench bench(artifact);
               run_multicast(bench, "no_such_block");
             }),
             Catch::Contains("the mask 0x7 names blocks that a cluster of 2 does not have"));
}

// The checker takes any later arrival and wait for the right ones; what it does not see, the sums show.
TEST_CASE("a tile that is given back to one of its two loaders is overwritten; given back to both, nothing races") {
  const Artifact artifact = build_multicast(false);
  int wrong = 0;
  for (int run = 0; run < 2; ++run) {
    Bench bench(artifact);
    const auto sums = run_multicast(bench, "to_itself").read<int>("out");
    for (std::size_t i = 0; i < sums.size(); ++i)
      wrong += sums[i] !=
               kTileValues * kTileValues * static_cast<int>(i % kTileRounds) + kTileValues * (kTileValues - 1) / 2;
  }
  CHECK(wrong > 0);
  Bench checked(build_multicast(true));
  run_multicast(checked, "to_all");
  CHECK(session().take_findings().value().empty());
}

}  // namespace harness::test
