#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

const char* const kFaultSource = R"(
#include <cassert>
__global__ void half_block() {
  if (threadIdx.x < 40) __syncthreads();                             // line 4
  else __syncwarp();
}
__global__ void early_return(int* out) {
  if (threadIdx.x >= 40) return;
  __shared__ int tile[64];
  tile[threadIdx.x] = threadIdx.x;
  if (threadIdx.x == 33) return;                                     // while others wait
  const int odd = __syncthreads_count(threadIdx.x % 2);
  out[threadIdx.x] = tile[39 - threadIdx.x] + 100 * odd;
}
__global__ void split_warp(int* out) {
  if (threadIdx.x % 2) { out[0] = 1; __syncthreads(); }              // line 16
  else { out[1] = 2; __syncthreads(); }                              // line 17
}
__global__ void split_block(int* out) {
  if (threadIdx.x < 32) { out[0] = 1; __syncthreads(); }
  else { out[1] = 2; __syncthreads(); }
}
__global__ void lost_lane(float* out) {
  if (threadIdx.x == 7) return;
  out[threadIdx.x] = __shfl_down_sync(0xffffffffu, 1.0f, 1);         // line 25
}
__global__ void mixed(float* out) {
  if (threadIdx.x < 16) __syncwarp();                                // line 28
  else __syncthreads();                                              // line 29
}
__global__ void not_named() { __ballot_sync(0x0000fffeu, 1); }
__global__ void checks(int n) {
  assert(threadIdx.x + 1 < n && "too many");                         // line 33
}
__global__ void traps() { if (blockIdx.y == 1 && threadIdx.x == 3) __trap(); }
__global__ void overflows() {
  extern __shared__ int words[];
  words[threadIdx.x] = 1;
}
__global__ void prints(int n) { if (threadIdx.x == 1) printf("n=%d half=%g %s\n", n, 0.5, "text"); }
__global__ void waits(int* flag) { while (atomicAdd(flag, 0) == 0) {} }
__global__ void waits_or_fails(int* flag) {
  if (blockIdx.x == 0) while (atomicAdd(flag, 0) == 0) {}
  else __trap();
}
)";

Bench bench() {
  static const Artifact built =
      build_artifact(kFaultSource, {"half_block", "early_return", "split_warp", "split_block", "lost_lane", "mixed",
                                    "not_named", "checks", "traps", "overflows", "prints", "waits_or_fails"});
  Bench made(built);
  made.buffer("out", std::vector<float>(64));
  return made;
}

std::string fault(const std::string& entry, Dim3 block, std::vector<LaunchArgument> args = {}, Dim3 grid = {},
                  std::int64_t shared = 0) {
  return fault_of([&] { bench().run(entry, grid, block, args, shared); });
}

}  // namespace

TEST_CASE("a barrier that some threads never reach is reported with who waits where") {
  const std::string text = fault("half_block", {64});
  CHECK_THAT(text, Catch::StartsWith("barrier_deadlock:"));
  CHECK_THAT(text, Catch::Contains("40 threads wait in __syncthreads() at kernel.cu:4"));
  CHECK_THAT(text, Catch::Contains("24 threads wait in __syncwarp()"));
}

TEST_CASE("a barrier does not wait for threads that have exited, whether they left before or while others waited") {
  Bench made = bench();
  made.buffer("answer", std::vector<int>(40)).run("early_return", {}, {64}, {named("answer")});
  const auto answer = made.read<int>("answer");
  for (int i = 0; i < 40; ++i) CHECK(answer[i] == (i == 33 ? 0 : 39 - i + 100 * 19));
}

TEST_CASE("threads of one warp that wait in different barriers are reported, warps may differ") {
  const std::string text = fault("split_warp", {64}, {named("out")});
  CHECK_THAT(text, Catch::StartsWith("barrier_deadlock:"));
  CHECK_THAT(text, Catch::Contains("kernel.cu:16"));
  CHECK_THAT(text, Catch::Contains("kernel.cu:17"));
  CHECK(fault("split_block", {64}, {named("out")}).empty());
}

TEST_CASE("a shuffle does not wait for a lane that has exited, and what it reads there is undefined") {
  Bench made = bench();
  made.run("lost_lane", {}, {32}, {named("out")});
  const auto out = made.read<float>("out");
  for (int lane = 0; lane < 32; ++lane) {
    if (lane == 6) CHECK_FALSE(std::isfinite(out[lane]));
    else CHECK(out[lane] == (lane == 7 ? 0 : 1));
  }
}

TEST_CASE("waiting for each other in a warp and in a block barrier is reported with both places") {
  const std::string text = fault("mixed", {32}, {named("out")});
  CHECK_THAT(text, Catch::Contains("16 threads wait in __syncwarp() with mask 0xffffffff at kernel.cu:28"));
  CHECK_THAT(text, Catch::Contains("16 threads wait in __syncthreads() at kernel.cu:29"));
}

TEST_CASE("a lane that its own mask does not name is a trap") {
  CHECK_THAT(fault("not_named", {1}), Catch::StartsWith("trap:") && Catch::Contains("does not name it"));
}

TEST_CASE("a failed assertion names file, line, block, thread and expression") {
  const std::string text = fault("checks", {8}, {i32(8)});
  CHECK_THAT(text, Catch::StartsWith("assertion: kernel.cu:33: block (0,0,0), thread (7,0,0):"));
  CHECK_THAT(text, Catch::Contains("threadIdx.x + 1 < n"));
  CHECK(fault("checks", {8}, {i32(9)}).empty());
}

TEST_CASE("__trap names the block and thread") {
  CHECK_THAT(fault("traps", {8}, {}, {2, 2}),
             Catch::StartsWith("trap: kernel.cu:35: block (") && Catch::Contains(",1,0), thread (3,0,0)"));
}

TEST_CASE("a block that writes behind its dynamic shared memory is reported") {
  CHECK_THAT(fault("overflows", {33}, {}, {}, 128),
             Catch::StartsWith("illegal_access: overflows: block (0,0,0) wrote behind"));
  CHECK(fault("overflows", {32}, {}, {}, 128).empty());
}

TEST_CASE("after a fault in one block, blocks that wait for it end and the session goes on") {
  CHECK_THAT(fault("waits_or_fails", {1}, {named("out")}, {2}), Catch::StartsWith("trap:"));
  CHECK(fault("checks", {1}, {i32(9)}).empty());
}

TEST_CASE("what device code prints goes nowhere") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const int before = dup(STDERR_FILENO);
  dup2(ends[1], STDERR_FILENO);
  bench().run("prints", {}, {2}, {i32(7)});
  dup2(before, STDERR_FILENO);
  close(before);
  close(ends[1]);
  char text[64] = {};
  CHECK(read(ends[0], text, sizeof text - 1) == 0);
  close(ends[0]);
}

}  // namespace harness::test
