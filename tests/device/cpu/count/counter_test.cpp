#include <catch2/catch.hpp>

#include "harness/device/cpu/check/source_lines.h"
#include "tests/device/cpu/fixture.h"

using namespace harness;
using namespace harness::test;

namespace {

// Kernels with planted faults; the tests name their lines.
const char* const kSource = R"(
#include <cuda_runtime.h>
extern "C" __global__ void copy(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];                                             // 6: coalesced
}
extern "C" __global__ void strided(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] =
        x[i * 32];                                           // 12: a sector a lane
}
extern "C" __global__ void conflict(float* y, const float* x) {
  __shared__ float tile[32 * 32];
  int i = threadIdx.x;
  tile[i] = x[i];                                            // 17
  __syncthreads();
  y[i] = tile[i * 32];                                       // 19: 32 words of one bank
}
extern "C" __global__ void divergent(float* y, const float* x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 4 == 0)
    y[i] = x[i];                                             // 24: 8 lanes of 32
}
extern "C" __global__ void contended(int* sum, int* spread) {
  atomicAdd(sum, 1);                                         // 27: all lanes on one address
  atomicAdd(&spread[threadIdx.x], 1);                        // 28
}
extern "C" __global__ void wide(float4* y, const float4* x) {
  __shared__ float4 tile[128];
  tile[threadIdx.x] = x[threadIdx.x];                        // 32
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x];                        // 34
}
extern "C" __global__ void ragged(float* y, const float* x) {
  float sum = 0;
  for (int k = 0; k <= threadIdx.x % 4; ++k)
    sum += x[k * 32 + threadIdx.x];                          // 39: lanes come 1 to 4 times
  y[threadIdx.x] = sum;
}
extern "C" __global__ void twice(float* y, const float* x) {
  float sum = 0;
  for (int k = 0; k < 5000; ++k) sum += x[(k & 1) * 32 + threadIdx.x];   // 44: more often than is kept
  y[threadIdx.x] = sum;
}
extern "C" __global__ void scaled(float4* y, const float4* x) {
  float4 v = x[threadIdx.x];                                 // 48
  v.x *= 2, v.y *= 2, v.z *= 2, v.w *= 2;
  y[threadIdx.x] = v;                                        // 50
}
extern "C" __global__ void unequal(float* y, const float* x, int busy) {
  __shared__ float part[128];
  float sum = 0;
  if (threadIdx.x < busy)
    for (int k = 0; k < 16; ++k) sum += x[k * 32 + threadIdx.x];
  part[threadIdx.x] = sum;
  __syncthreads();                                           // 58: for the warps that load
  float next = part[127 - threadIdx.x];
  __syncthreads();                                           // 60
  y[threadIdx.x] = next;
}
extern "C" __global__ void doubled(float* y) {
  y[blockIdx.x * blockDim.x + threadIdx.x] *= 2;
}
extern "C" __global__ void along(float* y, const float* x) {
  float sum = 0;
  for (int k = 0; k < 3000; ++k) sum += x[k * 32 + threadIdx.x];   // further than is kept
  y[threadIdx.x] = sum;
}
extern "C" __global__ void next_block(float* y) {
  y[blockIdx.x * 32 + threadIdx.x] = y[(blockIdx.x + 1) % gridDim.x * 32 + threadIdx.x];
}
extern "C" __global__ void added(float* y, const float* x) {
  float sum = x[threadIdx.x];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  y[threadIdx.x] = sum;
}
extern "C" __global__ void own_sums(float* y, const float* x) {
  atomicAdd(&y[blockIdx.x * 8], x[threadIdx.x]);
}
extern "C" __global__ void near_sums(float* y, const float* x) {
  atomicAdd(&y[(threadIdx.x + blockIdx.x) % 4], x[threadIdx.x]);
}
extern "C" __global__ void added_and_read(float* y, const float* x) {
  atomicAdd(y, x[threadIdx.x]);
  y[8 + blockIdx.x * 8] = y[0];
}
#include <harness/cluster.cuh>
extern "C" __global__ void handed_round(float* y) {
  __shared__ float mine[64];
  harness::cluster_sync();
  for (unsigned rank = 0; rank < harness::cluster_size(); ++rank)
    harness::cluster_map(mine, rank)[threadIdx.x] = rank;    // to the block itself as well
  harness::cluster_sync();
  y[blockIdx.x * 64 + threadIdx.x] = mine[threadIdx.x];
}
__constant__ float table[64];
extern "C" __global__ void looked_up(float* y, int step) {
  y[threadIdx.x] = table[threadIdx.x * step % 64];
}
)";

const Artifact& counted_artifact() {
  static const Artifact artifact =
      build_with_headers(kSource,
                         {"copy", "strided", "conflict", "divergent", "contended", "wide", "ragged", "twice", "scaled",
                          "unequal", "own_sums", "near_sums", "added_and_read", "doubled", "along", "next_block",
                          "added", "handed_round", "looked_up"},
                         true, {"table"});
  return artifact;
}

/// The same without instrumentation, of these entries.
Artifact plain_artifact(const std::vector<std::string>& entries) {
  return build_with_headers(kSource, entries);
}

struct Counted {
  CountedLaunch launch;
  std::map<std::uint64_t, std::string> lines;

  Counts at(int line) const {
    Counts sum;
    for (const CountedPlace& place : launch.places)
      if (const auto found = lines.find(place.site);
          found != lines.end() && found->second == "kernel.cu:" + std::to_string(line))
        sum += place.counts;
    return sum;
  }
  Counts all() const {
    Counts sum;
    for (const CountedPlace& place : launch.places) sum += place.counts;
    return sum;
  }
};

Counted count(const std::string& entry, std::uint32_t blocks, std::uint32_t threads,
              std::vector<LaunchArgument> arguments, CountingRequest request = {}, std::uint32_t cluster = 1) {
  Bench bench(counted_artifact());
  bench.buffer("y", std::vector<float>(65536)).buffer("x", std::vector<float>(65536 * 2));
  bench.executable().counting = request;
  Launch launch;
  launch.entry = entry;
  launch.grid = {blocks};
  launch.block = {threads};
  launch.cluster = {cluster};
  launch.args = std::move(arguments);
  bench.run(std::vector<Step>{launch});
  const auto launches = session().take_counts();
  REQUIRE(launches);
  REQUIRE(launches->size() == 1);
  CHECK_FALSE(session().take_findings());  // it is no memory check
  Counted counted{launches->front(), {}};
  std::vector<std::uint64_t> sites;
  for (const CountedPlace& place : counted.launch.places) sites.push_back(place.site);
  counted.lines = cpu::source_lines(counted_artifact().path, sites);
  return counted;
}

const std::vector<LaunchArgument> kBoth{named("y"), named("x")};

}  // namespace

TEST_CASE("a coalesced line takes 4 sectors of 32 bytes for a warp's words") {
  const Counted counted = count("copy", 8, 128, {named("y"), named("x"), i32(1024)});
  const Counts line = counted.at(6);
  CHECK(line[Count::load_requests] == 32);
  CHECK(line[Count::load_sectors] == 128);
  CHECK(line[Count::store_sectors] == 128);
  CHECK(line[Count::least_sectors] == 256);
  CHECK(line[Count::memory_lanes] == 2 * 1024);
  CHECK(counted.all() == line);
  CHECK(counted.launch.counted_blocks == 8);
  REQUIRE(counted.launch.buffers.size() == 2);
  CHECK(counted.launch.buffers[0].together.touched == 128);
  CHECK_FALSE(counted.launch.blocks_meet);
}

TEST_CASE("an uncoalesced line is named with a sector for each lane") {
  const Counted counted = count("strided", 2, 256, {named("y"), named("x"), i32(512)});
  CHECK(counted.at(12)[Count::load_requests] == 16);
  CHECK(counted.at(12)[Count::load_sectors] == 512);
  CHECK(counted.at(12)[Count::least_sectors] == 64);
  CHECK(counted.at(11)[Count::store_sectors] == 64);
}

TEST_CASE("a 32-way bank conflict is named, and the barrier before it") {
  const Counted counted = count("conflict", 1, 32, kBoth);
  CHECK(counted.at(17)[Count::shared_conflicts] == 0);
  CHECK(counted.at(19)[Count::shared_requests] == 1);
  CHECK(counted.at(19)[Count::shared_wavefronts] == 32);
  CHECK(counted.at(19)[Count::shared_conflicts] == 31);
  CHECK(counted.all()[Count::barriers] == 1);
}

TEST_CASE("a barrier is told how much less than the longest warp the others had to do before it") {
  // A coalesced load and a pass of shared memory are four each: one warp has 16 loads, and each stores a word.
  const Counted one = count("unequal", 2, 128, {named("y"), named("x"), i32(32)});
  CHECK(one.at(58)[Count::barriers] == 2 * 4);
  CHECK(one.at(58)[Count::barrier_work] == 2 * (16 * 4 + 4 * 4));
  CHECK(one.at(58)[Count::barrier_longest] == 2 * 4 * (16 * 4 + 4));
  CHECK(one.at(60)[Count::barrier_work] == 2 * 4 * 4);  // one load of shared memory each
  CHECK(one.at(60)[Count::barrier_longest] == one.at(60)[Count::barrier_work]);
  const Counted all = count("unequal", 2, 128, {named("y"), named("x"), i32(128)});
  CHECK(all.at(58)[Count::barrier_work] == 2 * 4 * (16 * 4 + 4));
  CHECK(all.at(58)[Count::barrier_longest] == all.at(58)[Count::barrier_work]);
}

TEST_CASE("what goes to shared memory of other blocks of the cluster is counted apart from a block's own") {
  const Counts all = count("handed_round", 4, 64, {named("y")}, {}, 2).all();
  CHECK(all[Count::remote_requests] == 4 * 2);
  CHECK(all[Count::remote_sectors] == 4 * 2 * 4);
  CHECK(all[Count::shared_requests] == 4 * 2 * 2);  // stored into its own, and loaded
  CHECK(count("handed_round", 4, 64, {named("y")}).all()[Count::remote_requests] == 0);
}

TEST_CASE("a divergent branch leaves lanes idle") {
  const Counts line = count("divergent", 4, 64, kBoth).at(24);
  CHECK(line[Count::memory_requests] == 16);
  CHECK(line[Count::memory_lanes] == 128);
}

TEST_CASE("lanes that add to one address take turns") {
  const Counted counted = count("contended", 2, 64, kBoth);
  CHECK(counted.at(27)[Count::atomics] == 128);
  CHECK(counted.at(27)[Count::atomic_turns] == 128);
  CHECK(counted.at(28)[Count::atomic_turns] == 4);
  CHECK(counted.launch.atomics);
  CHECK_FALSE(counted.launch.blocks_meet);  // who only adds does not see the others
}

TEST_CASE("what several counted blocks add to, all are taken to add to; what one adds to is its own") {
  const auto hottest = [](const std::string& entry, CountingRequest request = {}) {
    const Counted counted = count(entry, 512, 64, kBoth, request);
    CHECK(counted.lines.at(counted.launch.hottest.site).starts_with("kernel.cu:"));
    return std::pair{counted.launch.hottest.lanes, counted.launch.hottest.requests};
  };
  CHECK(hottest("contended") == std::pair<std::int64_t, std::int64_t>{512 * 64, 512 * 2});
  CHECK(hottest("contended", {512, false}) == hottest("contended"));
  CHECK(hottest("own_sums") == std::pair<std::int64_t, std::int64_t>{64, 2});
  // Words of one sector: each request's most wanted word counts.
  CHECK(hottest("near_sums") == std::pair<std::int64_t, std::int64_t>{512 * 2 * 8, 512 * 2});
  CHECK(count("copy", 1, 32, {named("y"), named("x"), i32(32)}).launch.hottest.lanes == 0);
}

TEST_CASE("a block that loads what others add to meets them") {
  CHECK(count("added_and_read", 4, 32, kBoth).launch.blocks_meet);
  CHECK_FALSE(count("added_and_read", 1, 32, kBoth).launch.blocks_meet);
  CHECK_FALSE(count("own_sums", 4, 32, kBoth).launch.blocks_meet);
}

TEST_CASE("warps that do the same have one role") {
  const Counted counted = count("unequal", 512, 128, {named("y"), named("x"), i32(32)});
  REQUIRE(counted.launch.roles.size() == 2);
  CHECK(counted.launch.roles[0].warps == 3 * 512);  // those that load nothing
  CHECK(counted.launch.roles[1].warps == 512);
  CHECK(counted.launch.roles[1].requests.size() == counted.launch.roles[0].requests.size() + 1);
  for (const CountedPlace& place : counted.launch.places) {
    std::int64_t requests = 0;
    for (const CountedRole& role : counted.launch.roles)
      for (const auto& [site, times] : role.requests) requests += site == place.site ? times : 0;
    CHECK(requests == place.counts[Count::memory_requests] + place.counts[Count::barriers]);
  }
}

TEST_CASE("16-byte accesses take four passes and no conflict") {
  const Counted counted = count("wide", 1, 128, kBoth);
  CHECK(counted.at(32)[Count::load_sectors] == 64);
  CHECK(counted.all()[Count::shared_wavefronts] == 32);
  CHECK(counted.all()[Count::shared_conflicts] == 0);
}

TEST_CASE("four floats that travel together are one access") {
  const Counted counted = count("scaled", 1, 128, kBoth);
  CHECK(counted.at(48)[Count::load_requests] == 4);
  CHECK(counted.at(48)[Count::load_sectors] == 64);
  CHECK(counted.at(50)[Count::store_requests] == 4);
}

TEST_CASE("where lanes come differently often, the line says so") {
  const Counts line = count("ragged", 1, 32, kBoth).at(39);
  CHECK(line[Count::load_requests] == 4);
  CHECK(line[Count::memory_lanes] == 8 + 16 + 24 + 32);
  CHECK(line[Count::uneven_requests] == 4);
  CHECK(count("copy", 1, 32, {named("y"), named("x"), i32(32)}).at(6)[Count::uneven_requests] == 0);
}

TEST_CASE("what is beyond the kept requests counts as those") {
  CHECK(count("twice", 1, 32, kBoth).at(44)[Count::load_requests] == 5000);
  CHECK(count("twice", 1, 32, kBoth).at(44)[Count::load_sectors] == 20000);
}

TEST_CASE("a sample of blocks gives the numbers of all, twice the same") {
  const std::vector<LaunchArgument> arguments{named("y"), named("x"), i32(65536 - 40)};
  const Counted all = count("copy", 512, 128, arguments, {512, false});
  const Counted some = count("copy", 512, 128, arguments);
  CHECK(some.launch.counted_blocks == 16);
  CHECK(all.launch.counted_blocks == 512);
  CHECK(some.all() == all.all());  // the last block, which is cut, stands for itself
  CHECK(count("copy", 512, 128, arguments, {16, true}).all() == some.all());
  CHECK(count("copy", 512, 128, arguments).launch.places.size() == some.launch.places.size());
}

TEST_CASE("the block that has most to do is told beside the work of all") {
  const std::vector<LaunchArgument> arguments{named("y"), named("x"), i32(65536 - 128 * 256)};
  const CountedLaunch half = count("copy", 512, 128, arguments, {512, false}).launch;  // half of the blocks do nothing
  CHECK(half.heaviest * 256 == half.work);
  const CountedLaunch sampled = count("copy", 512, 128, {named("y"), named("x"), i32(65536)}).launch;
  CHECK(sampled.heaviest * 512 == sampled.work);
}

TEST_CASE("of each buffer it is told what had to be loaded and what was stored") {
  const auto sectors = [](const Counted& counted, std::size_t buffer) {
    const CountedBuffer& of = counted.launch.buffers.at(buffer);
    CHECK(of.by_block.touched == of.together.touched);  // each by one block alone
    return std::array{of.together.touched, of.together.loaded, of.together.stored};
  };
  const Counted copied = count("copy", 8, 128, {named("y"), named("x"), i32(1024)});
  CHECK(sectors(copied, 0) == std::array<std::int64_t, 3>{128, 0, 128});
  CHECK(sectors(copied, 1) == std::array<std::int64_t, 3>{128, 128, 0});
  CHECK(sectors(count("doubled", 8, 128, {named("y")}), 0) == std::array<std::int64_t, 3>{128, 128, 128});
  CHECK(sectors(count("along", 1, 32, kBoth), 1) == std::array<std::int64_t, 3>{12000, 12000, 0});
}

TEST_CASE("blocks meet where one loads what another stores") {
  CHECK(count("next_block", 4, 32, {named("y")}).launch.blocks_meet);
  CHECK_FALSE(count("next_block", 1, 32, {named("y")}).launch.blocks_meet);
  CHECK_FALSE(count("doubled", 4, 32, {named("y")}).launch.blocks_meet);
}

TEST_CASE("a shuffle is counted once a warp") {
  CHECK(count("added", 2, 64, kBoth).all()[Count::shuffles] == 2 * 2 * 5);
  CHECK(count("added", 2, 64, kBoth).all()[Count::memory_requests] == 2 * 2 * 2);
}

TEST_CASE("of few blocks some are counted where they do much, and all where they do little or are asked for") {
  const Counted some = count("along", 8, 32, kBoth), all = count("along", 8, 32, kBoth, {17, false});
  CHECK(some.launch.counted_blocks == 2);
  CHECK(all.launch.counted_blocks == 8);
  CHECK(some.all() == all.all());
  CHECK(some.launch.work == all.launch.work);
  CHECK(some.launch.roles.at(0).warps == 8);
  CHECK(count("copy", 16, 128, {named("y"), named("x"), i32(2000)}).launch.counted_blocks == 16);
  CHECK(count("copy", 17, 128, {named("y"), named("x"), i32(2000)}).launch.counted_blocks == 4);
}

TEST_CASE("blocks that run and are not counted do their work, without instrumentation where there is such a build") {
  const auto launch = [](const std::string& entry, std::uint32_t blocks, std::vector<LaunchArgument> arguments) {
    Launch launch;
    launch.entry = entry;
    launch.grid = {blocks};
    launch.block = {128};
    launch.args = std::move(arguments);
    return launch;
  };
  std::vector<float> ones(65536, 1);
  std::vector<std::vector<CountedLaunch>> counts;
  for (const bool plain : {false, true}) {
    Bench bench(counted_artifact());
    if (plain) bench.executable().plain = plain_artifact({"copy", "doubled"});
    bench.executable().counting = CountingRequest{};
    bench.buffer("y", std::vector<float>(65536)).buffer("x", ones);
    bench.run({launch("copy", 512, {named("y"), named("x"), i32(65536)}),
               launch("copy", 4, {named("y"), named("x"), i32(512)}), launch("doubled", 1, {named("y")})});
    std::vector<float> wanted(65536, 1);
    std::fill_n(wanted.begin(), 128, 2.0f);
    CHECK(bench.read<float>("y") == wanted);
    counts.push_back(*session().take_counts());
    REQUIRE(counts.back().size() == 3);
    CHECK(counts.back()[0].counted_blocks == 16);
    CHECK(counts.back()[1].counted_blocks == 4);
  }
  for (std::size_t i = 0; i < 3; ++i) CHECK(json(counts[0][i]) == json(counts[1][i]));
}

TEST_CASE("reads of a table in constant memory take a pass for each different word") {
  const auto words_for = [](std::int64_t step) {
    Bench bench(counted_artifact());
    bench.buffer("y", std::vector<float>(64)).buffer("t", std::vector<float>(64));
    bench.executable().counting = CountingRequest{};
    bench.executable().plan.constants = {{"table", "t"}};
    Launch launch;
    launch.entry = "looked_up";
    launch.block = {64};
    launch.args = {NamedArgument{"y"}, ScalarArgument{Dtype::s32, step}};
    bench.run(std::vector<Step>{launch});
    const auto launches = session().take_counts();
    REQUIRE(launches);
    Counts sum;
    for (const CountedPlace& place : launches->front().places) sum += place.counts;
    CHECK(sum[Count::load_requests] == 0);
    return sum[Count::constant_words];
  };
  CHECK(words_for(0) == 2);  // one for each of two warps
  CHECK(words_for(1) == 64);
  CHECK(words_for(16) == 8);
}
