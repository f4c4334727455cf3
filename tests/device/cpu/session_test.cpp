#include "harness/device/cpu/session.h"

#include <catch2/catch.hpp>

#include "harness/device/cpu/probe.h"
#include "tests/device/cpu/fixture.h"

namespace harness::test {
namespace {

const char* const kSessionSource = R"(
#include <cstdint>
#include <type_traits>
#include <cuda_runtime.h>

__constant__ float kTable[4] = {1, 2, 3, 4};
__device__ int blocks_seen;

template <typename T, int V>
__global__ void __launch_bounds__(128) rotate(const T* __restrict__ x, T* __restrict__ y, float a, int n) {
  extern __shared__ T dynamic[];
  __shared__ T tile[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : T(0);
  __syncthreads();
  dynamic[threadIdx.x] = tile[(threadIdx.x + V) % blockDim.x];
  __syncthreads();
  if (i < n) y[i] = a * dynamic[threadIdx.x] + kTable[2];
}

namespace inner {
__global__ void reverse(int* data) {
  extern __shared__ __align__(16) unsigned char raw[];
  int* values = reinterpret_cast<int*>(raw);
  values[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = values[blockDim.x - 1 - threadIdx.x];
}
}

__global__ void indices(unsigned* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  __syncthreads();
  atomicAdd(&out[block * threads + thread],
            1 + threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x + 10000 * blockIdx.y + 100000 * blockIdx.z);
}

struct Shape { int rows; float scale; long long stride; };
static __global__ void pass(Shape shape, const float* absent, float* out, double d, unsigned char small) {
  out[0] = shape.rows, out[1] = shape.scale, out[2] = shape.stride, out[3] = absent == nullptr, out[4] = d, out[5] = small;
}

__global__ void follow(float** rows, float* out) { out[threadIdx.x] = rows[threadIdx.x][1]; }

__global__ void shared_at_start(unsigned* out) {
  __shared__ unsigned fixed[8];
  extern __shared__ unsigned words[];
  if (threadIdx.x < 8) { out[threadIdx.x] = fixed[threadIdx.x]; out[8 + threadIdx.x] = words[threadIdx.x]; }
  __syncthreads();
  fixed[threadIdx.x % 8] = 7, words[threadIdx.x % 8] = 7;
}

__global__ void predicates(int* out) {
  const int odd = threadIdx.x & 1;
  const int count = __syncthreads_count(odd), all = __syncthreads_and(odd), any = __syncthreads_or(odd);
  const int every = __syncthreads_and(threadIdx.x < 100);
  if (threadIdx.x == 3) out[0] = count, out[1] = all, out[2] = any, out[3] = every;
}

__global__ void relay(volatile int* flags, int* order) {   // each block waits for the one before it
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0)
      while (atomicAdd((int*)&flags[blockIdx.x - 1], 0) == 0) {}
    order[blockIdx.x] = atomicAdd(&blocks_seen, 1);
    __threadfence();
    atomicExch((int*)&flags[blockIdx.x], 1);
  }
}
__global__ void handoff(int* out) {   // thread 0 spins until the last thread of its block has written
  __shared__ int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) { out[0] = 42; atomicExch(&ready, 1); }
  if (threadIdx.x == 0) { while (atomicCAS(&ready, 1, 1) != 1) {} out[1] = out[0]; }
}
)";

const Artifact& session_artifact() {
  static const Artifact built =
      build_artifact(kSessionSource, {"rotate<float,1>", "inner::reverse", "indices", "pass", "follow",
                                      "shared_at_start", "predicates", "relay", "handoff"});
  return built;
}

template <typename Error, typename Body>
std::string message_of(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a template kernel with static and dynamic shared memory runs by its name expression") {
  Bench bench(session_artifact());
  std::vector<float> x(256);
  for (int i = 0; i < 256; ++i) x[i] = static_cast<float>(i);
  bench.buffer("x", x).buffer("y", std::vector<float>(256));
  bench.run("rotate<float,1>", {2}, {128}, {named("x"), named("y"), f32(2), i32(255)}, 512);
  const auto y = bench.read<float>("y");
  CHECK(y[0] == 5);
  CHECK(y[127] == 3);
  CHECK(y[128] == 261);
  CHECK(y[255] == 0);
}

TEST_CASE("a kernel in a namespace has its own dynamic shared array") {
  Bench bench(session_artifact());
  bench.buffer("data", std::vector<int>{1, 2, 3, 4}).run("inner::reverse", {}, {4}, {named("data")}, 16);
  CHECK(bench.read<int>("data") == std::vector<int>{4, 3, 2, 1});
}

TEST_CASE("every thread of three-dimensional grids and blocks runs once with its own indices") {
  Bench bench(session_artifact());
  bench.buffer("out", std::vector<unsigned>(2 * 3 * 4 * 5 * 3 * 2))
      .run("indices", {2, 3, 4}, {5, 3, 2}, {named("out")});
  const auto out = bench.read<unsigned>("out");
  std::vector<unsigned> expected;
  for (unsigned b = 0; b < 24; ++b)
    for (unsigned t = 0; t < 30; ++t)
      expected.push_back(1 + t % 5 + 10 * (t / 5 % 3) + 100 * (t / 15) + 1000 * (b % 2) + 10000 * (b / 2 % 3) +
                         100000 * (b / 6));
  CHECK(out == expected);
}

TEST_CASE("scalars, structures and absent arguments are passed by value") {
  Bench bench(session_artifact());
  bench.buffer("out", std::vector<float>(6));
  Argument shape;
  shape.name = "shape";
  shape.kind = ArgumentKind::structure;
  shape.struct_bytes = 16;
  shape.fields = {{"rows", Dtype::s32, std::int64_t{3}, 0},
                  {"scale", Dtype::f32, 0.5, 4},
                  {"stride", Dtype::s64, std::int64_t{1} << 40, 8}};
  Argument mask;
  mask.name = "mask";
  mask.absent = true;
  Argument d;
  d.name = "d";
  d.kind = ArgumentKind::scalar;
  d.dtype = Dtype::f64;
  d.value = 2.25;
  bench.executable().problem.arguments = {shape, mask, d};
  bench.run("pass", {}, {1},
            {named("shape"), named("mask"), named("out"), named("d"), ScalarArgument{Dtype::u8, std::int64_t{200}}});
  CHECK(bench.read<float>("out") == std::vector<float>{3, 0.5f, 0x1p40f, 1, 2.25f, 200});
}

TEST_CASE("an array of pointers holds the addresses of its targets") {
  Bench bench(session_artifact());
  bench.buffer("values", std::vector<float>{1, 2, 3, 4}).buffer("rows", std::vector<std::int64_t>(2));
  bench.buffer("out", std::vector<float>(2));
  ImageLayout& layout = bench.executable().layout;
  const std::int64_t rows = find_buffer(layout, "rows")->offset, values = find_buffer(layout, "values")->offset;
  layout.relocations = {{rows, values + 8}, {rows + 8, values}};
  bench.run("follow", {}, {2}, {named("rows"), named("out")});
  CHECK(bench.read<float>("out") == std::vector<float>{4, 2});
}

TEST_CASE("a memset step fills its part of a buffer, in order with the launches") {
  Bench bench(session_artifact());
  bench.buffer("data", std::vector<int>{1, 2, 3, 4});
  Launch reverse;
  reverse.entry = "inner::reverse";
  reverse.block = {4};
  reverse.shared = 16;
  reverse.args = {named("data")};
  bench.run({Memset{"data", 0, 4, 0xff}, reverse});
  CHECK(bench.read<int>("data") == std::vector<int>{4, 3, 2, -1});
  CHECK_THROWS_AS(bench.run({Memset{"data", 4, 16, 0}}), LaunchRefused);
}

TEST_CASE("shared memory holds nothing of the block before") {
  Bench bench(session_artifact());
  bench.buffer("out", std::vector<unsigned>(16)).run("shared_at_start", {64}, {32}, {named("out")}, 32);
  CHECK(bench.read<unsigned>("out") == std::vector<unsigned>(16, 0xffffffffu));
}

TEST_CASE("__syncthreads with a predicate counts, and's and or's over the block") {
  Bench bench(session_artifact());
  bench.buffer("out", std::vector<int>(4)).run("predicates", {}, {96}, {named("out")});
  CHECK(bench.read<int>("out") == std::vector<int>{48, 0, 1, 1});
}

TEST_CASE("a block may wait for the blocks before it") {
  Bench bench(session_artifact());
  bench.buffer("flags", std::vector<int>(40)).buffer("order", std::vector<int>(40));
  bench.run("relay", {40}, {32}, {named("flags"), named("order")});
  const auto order = bench.read<int>("order");
  for (std::size_t i = 1; i < order.size(); ++i) CHECK(order[i] == order[i - 1] + 1);
}

TEST_CASE("a thread that spins on an atomic lets the rest of its block run") {
  Bench bench(session_artifact());
  bench.buffer("out", std::vector<int>(2)).run("handoff", {}, {1024}, {named("out")});
  CHECK(bench.read<int>("out") == std::vector<int>{42, 42});
}

TEST_CASE("launches that a driver would refuse are refused with the reason") {
  Bench bench(session_artifact());
  bench.buffer("out", std::vector<int>(4));
  const auto refusal = [&](const std::string& entry, Dim3 grid, Dim3 block, std::vector<LaunchArgument> args,
                           std::int64_t shared) {
    return message_of<LaunchRefused>([&] { bench.run(entry, grid, block, args, shared); });
  };
  CHECK_THAT(refusal("predicates", {0}, {32}, {named("out")}, 0), Catch::Contains("nothing to run"));
  CHECK_THAT(refusal("predicates", {1}, {1025}, {named("out")}, 0), Catch::Contains("larger than 1024 threads"));
  CHECK_THAT(refusal("predicates", {1}, {32}, {named("out")}, 232449), Catch::Contains("exceed the 232448"));
  CHECK_THAT(refusal("predicates", {1}, {32}, {}, 0), Catch::Contains("takes 1 parameters and the plan passes 0"));
  CHECK_THAT(refusal("predicates", {1}, {32}, {i32(1)}, 0),
             Catch::Contains("parameter 1 of predicates has 8 bytes and the plan passes 4"));
  CHECK_THAT(refusal("predicates", {1}, {32}, {named("nowhere")}, 0), Catch::Contains("'nowhere' is neither"));
  CHECK_THAT(refusal("absent", {1}, {32}, {}, 0), Catch::Contains("without the entry absent"));
  CHECK_THAT(refusal("rotate<float,1>", {1}, {32}, {named("out"), named("out"), f32(1), i32(1ll << 31)}, 0),
             Catch::Contains("does not fit its type s32"));
  CHECK_THROWS_AS(bench.run({LibraryCall{"cublas", "gemm", {}}}), NotSupported);
}

TEST_CASE("the device tells what it is") {
  const DeviceInfo info = cpu::describe(3);
  CHECK(info.device == "cpu");
  CHECK(info.emulation);
  CHECK(info.native);
  CHECK(info.multiprocessors == 3);
  CHECK(info.max_shared_bytes == 227 * 1024);
}

}  // namespace harness::test
