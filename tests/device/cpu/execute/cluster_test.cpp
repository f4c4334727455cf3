#include <catch2/catch.hpp>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

// Every launch has blocks of 64 threads.
const char* const kClusters = R"(
#include <harness/cluster.cuh>
using namespace harness;

__global__ void places(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const dim3 dim = cluster_dim(), own = cluster_block_index(), cluster = cluster_index();
  if (threadIdx.x == 0) {
    int* const row = out + block * 6;
    row[0] = cluster_rank(), row[1] = cluster_size(), row[2] = own.x + 10 * own.y, row[3] = dim.x + 10 * dim.y;
    row[4] = cluster.x + 10 * cluster.y, row[5] = 1;
  }
}

__global__ void grid_size(int* out) { out[0] = gridDim.x; }

// Every block sums what all blocks of its cluster have, by explicit loads and through mapped pointers.
__global__ void sums(int* out) {
  __shared__ int mine[64];
  extern __shared__ int other[];
  mine[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
  other[threadIdx.x] = -mine[threadIdx.x];
  cluster_sync();
  int sum = 0;
  for (unsigned rank = 0; rank < cluster_size(); ++rank)
    sum += 2 * load_cluster<1>(mine + threadIdx.x, rank).at[0] + *cluster_map(other + threadIdx.x, rank);
  cluster_sync();
  out[blockIdx.x * 64 + threadIdx.x] = sum;
}

// A token goes round the cluster: each block stores into its successor's memory. Pass p belongs to block p % size.
__global__ void relay(int* out) {
  __shared__ int token;
  if (threadIdx.x == 0) token = 0;
  const unsigned rank = cluster_rank(), size = cluster_size();
  for (unsigned pass = 0; pass < 3 * size; ++pass) {
    cluster_sync();
    if (pass % size == rank && threadIdx.x == 0)
      store_cluster(&token, (rank + 1) % size, Vec<int, 1>{{token + static_cast<int>(rank) + 1}});
  }
  cluster_sync();
  if (threadIdx.x == 0) out[blockIdx.x] = token;
}

// Waits for a flag that the next block stores, without a barrier.
__global__ void spins(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  cluster_sync();
  if (threadIdx.x == 0) *cluster_map(&flag, cluster_rank() ^ 1) = 1 + cluster_rank();
  while (flag == 0) __nanosleep(20);
  out[blockIdx.x * 64 + threadIdx.x] = flag;
  cluster_sync();
}

// Half of the threads leave at once: the barrier does not wait for them.
__global__ void some_exit(int* out) {
  if (threadIdx.x % 2) return;
  cluster_sync();
  cluster_sync();
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}

__global__ void no_last_barrier(float* out) {
  __shared__ float mine[64];
  mine[threadIdx.x] = 1;
  cluster_sync();
  const float* theirs = cluster_map(mine, cluster_rank() ^ 1);
  if (cluster_rank() == 0) __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = theirs[threadIdx.x];
}
__global__ void no_first_barrier(float* out) {
  __shared__ float mine[64];
  mine[threadIdx.x] = 1;
  if (cluster_rank() == 0) cluster_map(mine, 1)[threadIdx.x] = 2;
  cluster_sync();
  out[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x];
}
__global__ void explicit_too_late(float* out) {
  __shared__ float mine[64];
  mine[threadIdx.x] = 1;
  cluster_sync();
  out[blockIdx.x * 64 + threadIdx.x] = load_cluster<1>(mine + threadIdx.x, cluster_rank() ^ 1).at[0];
}
__global__ void stored_too_late(float* out) {
  __shared__ float mine[64];
  mine[threadIdx.x] = 1;
  float* theirs = cluster_map(mine, 0);
  cluster_sync();
  if (cluster_rank() == 1) theirs[threadIdx.x] = 3;
  out[blockIdx.x * 64 + threadIdx.x] = 1;
}
__global__ void waits_in_vain(float* out) {
  cluster_sync();
  if (cluster_rank() == 0 && threadIdx.x == 0) __syncwarp(3u);
  cluster_sync();
}
__global__ void arrives_twice(float* out) { cluster_arrive(); cluster_arrive(); cluster_wait(); }
__global__ void never_arrived(float* out) { cluster_wait(); }
// The second round of stores overtakes the reads of the first.
__global__ void no_barrier_between(int* out) {
  __shared__ int mine[64];
  for (int round = 0; round < 2; ++round) {
    if (round == 0) cluster_sync();
    store_cluster(mine + threadIdx.x, cluster_rank() ^ 1, Vec<int, 1>{{round}});
    cluster_sync();
    out[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x];
  }
  cluster_sync();
}
__global__ void no_such_rank(float* out) {
  __shared__ float mine[64];
  out[0] = *cluster_map(mine, cluster_size());
}
__global__ void not_shared(float* out) { out[0] = *cluster_map(out, 0); }
)";

Artifact build_clusters(bool checked) {
  return build_with_headers(kClusters,
                            {"places", "grid_size", "sums", "relay", "spins", "some_exit", "no_last_barrier",
                             "no_first_barrier", "explicit_too_late", "stored_too_late", "waits_in_vain",
                             "arrives_twice", "never_arrived", "no_such_rank", "not_shared", "no_barrier_between"},
                            checked);
}

const Artifact& clusters_artifact() {
  static const Artifact artifact = build_clusters(false);
  return artifact;
}

Bench& run_clusters(Bench& bench, const std::string& entry, Dim3 grid, Dim3 cluster) {
  Launch launch{.entry = entry, .grid = grid, .block = {64}, .cluster = cluster, .shared = 256};
  launch.args = {named("out")};
  return bench.run({launch});
}

std::vector<int> integers_of(const std::string& entry, Dim3 grid, Dim3 cluster, std::size_t count) {
  Bench bench(clusters_artifact());
  bench.buffer("out", std::vector<int>(count));
  return run_clusters(bench, entry, grid, cluster).read<int>("out");
}

std::string cluster_fault(const std::string& entry, Dim3 grid = {4}) {
  return fault_of([&] {
    Bench bench(clusters_artifact());
    bench.buffer("out", std::vector<float>(256));
    run_clusters(bench, entry, grid, {2});
  });
}

}  // namespace

TEST_CASE("a block knows its place in its cluster and its cluster's in the grid") {
  const auto out = integers_of("places", {4, 2, 2}, {2, 2, 1}, 16 * 6);
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 4; ++x) {
        const std::size_t row = static_cast<std::size_t>(x + 4 * (y + 2 * z)) * 6;
        CHECK(std::vector<int>(out.begin() + static_cast<long>(row), out.begin() + static_cast<long>(row) + 6) ==
              std::vector<int>{x % 2 + 2 * y, 4, x % 2 + 10 * y, 22, x / 2, 1});
      }
  CHECK(integers_of("places", {2}, {}, 12) == std::vector<int>{0, 1, 0, 11, 0, 1, 0, 1, 0, 11, 1, 1});
}

TEST_CASE("the blocks of a cluster read each other's shared memory, static and dynamic") {
  for (const unsigned size : {1u, 2u, 8u, 16u}) {
    const auto out = integers_of("sums", {16}, {size}, 16 * 64);
    int wrong = 0;
    for (unsigned block = 0; block < 16; ++block)
      for (unsigned t = 0; t < 64; ++t) {
        int expected = 0;
        for (unsigned other = block / size * size; other < block / size * size + size; ++other)
          expected += static_cast<int>(other * 100 + t);
        wrong += out[block * 64 + t] != expected;
      }
    CHECK(wrong == 0);
  }
}

TEST_CASE("a store into the next block's memory is seen behind the barrier") {
  CHECK(integers_of("relay", {8}, {4}, 8) == std::vector<int>{30, 21, 23, 26, 30, 21, 23, 26});
}

TEST_CASE("a thread that spins on what another block stores lets that block run") {
  const auto out = integers_of("spins", {4}, {2}, 256);
  CHECK(std::vector<int>{out[0], out[64], out[128], out[255]} == std::vector<int>{2, 1, 2, 1});
}

TEST_CASE("the cluster's barrier does not wait for threads that have exited") {
  const auto out = integers_of("some_exit", {4}, {4}, 256);
  CHECK(std::count(out.begin(), out.end(), 1) == 128);
}

TEST_CASE("shared memory of a block that has not begun or has ended is poison, and stores into it are faults") {
  Bench bench(clusters_artifact());
  bench.buffer("out", std::vector<float>(256));
  const auto out = run_clusters(bench, "no_last_barrier", {4}, {2}).read<float>("out");
  CHECK(std::count_if(out.begin(), out.end(), [](float value) { return value != 1; }) > 0);
  CHECK_THAT(cluster_fault("no_first_barrier"),
             Catch::Contains("illegal_access: no_first_barrier: the shared memory of block") &&
                 Catch::Contains("was written before it had begun"));
  CHECK_THAT(cluster_fault("stored_too_late"), Catch::Contains("was written after it had ended"));
  CHECK_THAT(cluster_fault("explicit_too_late"),
             Catch::Contains("illegal_access: kernel.cu:") && Catch::Contains("of the cluster, which has ended"));
}

TEST_CASE("the memory checker knows what the cluster's barrier orders, and whose memory is whose") {
  static const Artifact checked = build_clusters(true);
  const auto findings = [](const std::string& entry, Dim3 grid, Dim3 cluster) {
    Bench bench(checked);
    Argument out;
    out.name = "out";
    out.kind = ArgumentKind::output;
    bench.executable().problem.arguments = {out};
    bench.buffer("out", std::vector<int>(256));
    run_clusters(bench, entry, grid, cluster);
    std::string all;
    const auto found = session().take_findings();
    for (const RawFinding& finding : found.value()) all += finding.kind + ": " + finding.text + "\n";
    return all;
  };
  for (const char* const sound : {"places", "sums", "relay", "some_exit"}) CHECK(findings(sound, {4}, {4}) == "");
  CHECK(findings("sums", {4}, {}) == "");
  CHECK_THAT(findings("no_barrier_between", {2}, {2}), Catch::Contains("race: thread (") &&
                                                           Catch::Contains("of 'mine' of block (") &&
                                                           Catch::Contains("and nothing orders the two blocks"));
  CHECK_THAT(findings("no_last_barrier", {4}, {2}),
             Catch::Contains("of the shared memory of block (") && Catch::Contains("of its cluster, which has ended"));
  CHECK_THAT(findings("no_first_barrier", {4}, {2}), Catch::Contains("of its cluster, which has not begun"));
}

TEST_CASE("a cluster in which no thread can go on is reported with all its blocks") {
  CHECK_THAT(
      cluster_fault("waits_in_vain"),
      Catch::Contains("barrier_deadlock: block (0,0,0): no thread can go on: 1 thread waits in __syncwarp()") &&
          Catch::Contains("; block (1,0,0): no thread can go on: 64 threads wait in cluster_wait() at kernel.cu:"));
}

TEST_CASE("what the cluster's barrier and mapping do not allow is told with its line") {
  CHECK_THAT(cluster_fault("arrives_twice"), Catch::Contains("trap: kernel.cu:") && Catch::Contains("twice"));
  CHECK_THAT(cluster_fault("never_arrived"),
             Catch::Contains("waits at the cluster's barrier and has not arrived there"));
  CHECK_THAT(cluster_fault("no_such_rank"), Catch::Contains("there is no block 2 in a cluster of 2"));
  CHECK_THAT(cluster_fault("not_shared"), Catch::Contains("outside of shared memory"));
}

TEST_CASE("a resident grid has a block for each host thread, or one cluster, and no more than the plan says") {
  const auto blocks = [](Dim3 grid, Dim3 cluster, int times) {
    Bench bench(clusters_artifact());
    Launch launch{.entry = "grid_size", .grid = grid, .block = {64}, .cluster = cluster};
    launch.args = {named("out")};
    launch.resident = times;
    return bench.buffer("out", std::vector<int>(1)).run({launch}).read<int>("out").front();
  };
  CHECK(blocks({100}, {}, 0) == 100);
  CHECK(blocks({100}, {}, 1) == 3);
  CHECK(blocks({100}, {}, 2) == 6);
  CHECK(blocks({2}, {}, 1) == 2);
  CHECK(blocks({100}, {4}, 1) == 4);
}

TEST_CASE("clusters that a driver would refuse are refused") {
  const auto refused = [](Dim3 grid, Dim3 cluster) {
    try {
      integers_of("places", grid, cluster, 6 * 64);
    } catch (const LaunchRefused& refusal) {
      return std::string(refusal.what());
    }
    return std::string();
  };
  CHECK(refused({6}, {4}) == "places: grid (6,1,1) is no multiple of cluster (4,1,1)");
  CHECK(refused({4, 3}, {2, 2}) == "places: grid (4,3,1) is no multiple of cluster (2,2,1)");
  CHECK(refused({32}, {32}) == "places: a cluster (32,1,1) has no block or more than 16");
}

}  // namespace harness::test
