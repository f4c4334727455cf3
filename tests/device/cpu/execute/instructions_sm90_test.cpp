#include "tests/device/instructions_sm90.h"

#include <catch2/catch.hpp>

#include "harness/device/cpu/execute/mbarrier.h"
#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

// Each forgets one thing.
const char* const kForgetfulSource = R"(
#include <harness/tma.cuh>
#include <harness/warpgroup.cuh>
#include <harness/wgmma.cuh>

__device__ void begin(harness::Mbarrier* full) {
  if (threadIdx.x == 0) harness::mbarrier_init(full, 1), harness::mbarrier_init_fence();
  __syncthreads();
}
__global__ void no_wait(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  __shared__ harness::Mbarrier full;
  tile[threadIdx.x] = 7;
  begin(&full);
  if (threadIdx.x == 0) harness::mbarrier_arrive_expect(&full, 128), harness::bulk_load(tile, in, 128, &full);
  __syncwarp();
  out[32 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
}
__global__ void no_bytes_expected(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  __shared__ harness::Mbarrier full;
  tile[threadIdx.x] = 7;
  begin(&full);
  if (threadIdx.x == 0) harness::bulk_load(tile, in, 128, &full), harness::mbarrier_arrive(&full);
  harness::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
__global__ void wrong_parity(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  __shared__ harness::Mbarrier full;
  begin(&full);
  if (threadIdx.x == 0) harness::mbarrier_arrive_expect(&full, 256), harness::bulk_load(tile, in, 128, &full);
  harness::mbarrier_wait(&full, 0);
  out[threadIdx.x] = tile[threadIdx.x];
}
// Late copies must come to those who only ask, too.
__global__ void polled(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  __shared__ harness::Mbarrier full;
  begin(&full);
  if (threadIdx.x == 0) harness::mbarrier_arrive_expect(&full, 128), harness::bulk_load(tile, in, 128, &full);
  while (!harness::mbarrier_test(&full, 0)) {
  }
  out[32 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
}
__global__ void not_initialized(const unsigned*, unsigned* out) {
  __shared__ harness::Mbarrier full;
  harness::mbarrier_wait(&full, 0);
  out[threadIdx.x] = 1;
}
__global__ void store_not_waited_for(const unsigned*, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  tile[threadIdx.x] = threadIdx.x;
  harness::async_proxy_fence();
  __syncwarp();
  if (threadIdx.x == 0) harness::bulk_store(out, tile, 128), harness::bulk_commit();
}
__global__ void no_fence(const unsigned*, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  tile[threadIdx.x] = threadIdx.x;
  __syncwarp();
  if (threadIdx.x == 0) harness::bulk_store(out, tile, 128), harness::bulk_commit(), harness::bulk_wait_read<0>();
}
__global__ void fenced(const unsigned*, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  tile[threadIdx.x] = threadIdx.x;
  harness::async_proxy_fence();
  __syncwarp();
  if (threadIdx.x == 0) harness::bulk_store(out, tile, 128), harness::bulk_commit(), harness::bulk_wait_read<0>();
}
// Reads its accumulators while the product may still be under way.
__global__ void early_accumulators(const unsigned* in, unsigned* out) {
  __shared__ __align__(1024) unsigned tile[2048];
  for (int i = threadIdx.x; i < 2048; i += 128) tile[i] = in[0];
  harness::async_proxy_fence();
  __syncthreads();
  float d[32];
  for (int i = 0; i < 32; ++i) d[i] = -1;
  harness::wgmma_fence();
  harness::wgmma<__half, 64>(d, harness::wgmma_descriptor(tile), harness::wgmma_descriptor(tile), 0);
  harness::wgmma_commit();
  out[128 * blockIdx.x + threadIdx.x] = d[0] == -1;
  harness::wgmma_wait<0>();
}
// Gives a stage back to the copies before it has been read.
__global__ void stage_given_back(const unsigned* in, unsigned* out) {
  __shared__ __align__(16) unsigned tile[32];
  __shared__ harness::Mbarrier full[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) harness::mbarrier_init(&full[i], 1);
    for (int i = 0; i < 2; ++i) {
      harness::mbarrier_arrive_expect(&full[i], 128);
      harness::bulk_load(tile, in + 32 * i, 128, &full[i]);
    }
  }
  __syncwarp();
  harness::mbarrier_wait(&full[0], 0);
  out[32 * blockIdx.x + threadIdx.x] = tile[threadIdx.x];
  harness::mbarrier_wait(&full[1], 0);
}
)";

const std::vector<std::string> kForgetfulEntries = {
    "no_wait", "no_bytes_expected",  "wrong_parity",     "not_initialized", "store_not_waited_for", "no_fence",
    "fenced",  "early_accumulators", "stage_given_back", "polled"};

/// The words 100, 101, ... as input, and zeros.
Bench forgetful(const char* entry, unsigned blocks, unsigned threads, std::size_t out) {
  static const Artifact built = build_with_headers(kForgetfulSource, kForgetfulEntries);
  std::vector<std::uint32_t> in(64);
  for (std::uint32_t i = 0; i < 64; ++i) in[i] = 100 + i;
  Bench bench(built);
  bench.buffer("in", in).buffer("out", std::vector<std::uint32_t>(out));
  bench.run(entry, {blocks}, {threads}, {named("in"), named("out")});
  return bench;
}

std::vector<RawFinding> findings_of(const char* entry) {
  static const Artifact built = build_with_headers(kForgetfulSource, kForgetfulEntries, true);
  Bench bench(built);
  bench.buffer("in", std::vector<std::uint32_t>(64)).buffer("out", std::vector<std::uint32_t>(64));
  bench.run(entry, {1}, {32}, {named("in"), named("out")});
  return session().take_findings().value();
}

}  // namespace

TEST_CASE("each instruction of sm_90 gives the bits that the PTX ISA names") {
  const Artifact artifact = build_with_headers(kSm90Source, sm90_entries());
  for (const Sm90Case& test : sm90_cases())
    for (int launch = 0; launch < 2; ++launch) {  // async work is done late in the one, early in the other
      INFO(test.basic.entry);
      Bench bench(artifact);
      bench.buffer("in", test.basic.in).buffer("out", std::vector<std::uint32_t>(test.basic.expected.size()));
      std::vector<LaunchArgument> arguments{named("in"), named("out")};
      for (const TensorMap& map : test.maps) arguments.emplace_back(map);
      bench.run(test.basic.entry, {}, {test.threads}, arguments);
      CHECK(difference(bench.read<std::uint32_t>("out"), test.basic.expected) == "");
    }
}

TEST_CASE("an mbarrier's phase ends when its arrivals and its bytes have come, in any order") {
  std::uint64_t word = ~std::uint64_t{0};
  cpu::Mbarrier barrier(&word);
  CHECK(barrier.problem() == "the mbarrier has not been initialized");
  REQUIRE(barrier.init(2).empty());
  CHECK(barrier.has_completed(1));
  CHECK_FALSE(barrier.has_completed(0));
  REQUIRE(barrier.complete(64).empty());  // before they are expected
  REQUIRE(barrier.arrive(1, 192).empty());
  REQUIRE(barrier.arrive(1, 0).empty());
  CHECK_FALSE(barrier.has_completed(0));
  REQUIRE(barrier.complete(128).empty());
  CHECK(barrier.has_completed(0));
  CHECK_FALSE(barrier.has_completed(1));
  CHECK(barrier.arrive(3, 0) == "3 arrive at an mbarrier whose phase waits for 2");
  CHECK_FALSE(barrier.init(0).empty());
}

TEST_CASE("a bulk copy that nobody waits for shows in every second block") {
  const auto out = forgetful("no_wait", 2, 32, 64).read<std::uint32_t>("out");
  CHECK(std::min(out[0], out[32]) == 7);
  CHECK(std::max(out[0], out[32]) == 100);
}

TEST_CASE("a stage that is filled again too early shows in every second block") {
  const auto out = forgetful("stage_given_back", 2, 32, 64).read<std::uint32_t>("out");
  CHECK(std::min(out[0], out[32]) == 100);
  CHECK(std::max(out[0], out[32]) == 132);
}

TEST_CASE("accumulators that are read before the wait show in every second block") {
  const auto out = forgetful("early_accumulators", 2, 128, 256).read<std::uint32_t>("out");
  CHECK(out[0] + out[128] == 1);
}

TEST_CASE("what an mbarrier waits for in vain is told with the line of the wait") {
  const std::string fault = fault_of([] { forgetful("wrong_parity", 1, 32, 32); });
  CHECK(fault.find("barrier_deadlock: block (0,0,0): no thread can go on: 32 threads wait in mbarrier_wait() at "
                   "kernel.cu:") == 0);
  CHECK(fault_of([] { forgetful("not_initialized", 1, 32, 32); }).find("the mbarrier has not been initialized") !=
        std::string::npos);
}

TEST_CASE("bytes that nobody expected end a phase early, or never") {
  int stale = 0, deadlocked = 0;
  for (int run = 0; run < 2; ++run) {
    std::uint32_t first = 0;
    const std::string fault =
        fault_of([&] { first = forgetful("no_bytes_expected", 1, 32, 32).read<std::uint32_t>("out")[0]; });
    stale += first == 7;
    deadlocked += fault.find("barrier_deadlock") == 0;
  }
  CHECK(stale == 1);
  CHECK(deadlocked == 1);
}

TEST_CASE("a late copy comes to threads that only ask for it") {
  const auto out = forgetful("polled", 2, 32, 64).read<std::uint32_t>("out");
  CHECK(out[0] == 100);
  CHECK(out[32] == 100);
}

TEST_CASE("a block that ends before its bulk stores have been waited for is told") {
  const auto last_fault = [] { return fault_of([] { forgetful("store_not_waited_for", 2, 32, 64); }); };
  CHECK(last_fault().find("ended before its bulk stores") != std::string::npos);
}

TEST_CASE("the memory checker misses the fence between ordinary stores and the async proxy") {
  CHECK(findings_of("fenced").empty());
  const auto findings = findings_of("no_fence");
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].text.find("no fence.proxy.async between them") != std::string::npos);
}

}  // namespace harness::test
