#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// What ordinary files begin with works where kernels are observed, or is refused in one sentence.
using namespace harness;
using namespace harness::tests;

TEST_CASE("cooperative groups, asynchronous copies and headers of the host are there on the cpu device") {
  const adopt::Adopted found = self_referenced(
      "#include <cassert>\n#include <cmath>\n#include <cstdint>\n#include <cstdio>\n#include <vector>\n"
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n#include <cuda_pipeline.h>\n"
      "namespace cg = cooperative_groups;\n"
      "__global__ void norm(const float* __restrict__ x, float* __restrict__ out, int32_t rows, int32_t cols) {\n"
      "  __shared__ float row[128];\n"
      "  cg::thread_block block = cg::this_thread_block();\n"
      "  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);\n"
      "  assert(blockDim.x == 32);\n  float sum = 0;\n"
      "  for (int base = 0; base < cols; base += 128) {\n"
      "    for (int i = threadIdx.x; i < 128 && base + i < cols; i += 32)\n"
      "      __pipeline_memcpy_async(&row[i], &x[blockIdx.x * cols + base + i], sizeof(float));\n"
      "    __pipeline_commit();\n    __pipeline_wait_prior(0);\n    block.sync();\n"
      "    for (int i = threadIdx.x; i < 128 && base + i < cols; i += 32) sum += row[i] * row[i];\n"
      "    block.sync();\n  }\n"
      "  sum = cg::reduce(warp, sum, cg::plus<float>{});\n"
      "  if (warp.thread_rank() == 0) out[blockIdx.x] = std::sqrt(sum);\n}\n"
      "void run(const std::vector<float>& h, float* x, float* out, int rows, int cols) {\n"
      "  printf(\"%zu\", h.size()); norm<<<rows, 32>>>(x, out, rows, cols); }\n");
  CHECK(pointers_of(found) == "x: input f32 [rows, cols]\nout: output f32 [rows]\n");
}

TEST_CASE("barriers of a block and pipelines of a thread are there on the cpu device") {
  const adopt::Adopted found = self_referenced(
      "#include <cuda/barrier>\n#include <cuda/pipeline>\n#include <cooperative_groups.h>\n"
      "__global__ void sums(const float* x, float* out, int n) {\n"
      "  __shared__ float tile[64];\n"
      "  __shared__ cuda::barrier<cuda::thread_scope_block> bar;\n"
      "  auto block = cooperative_groups::this_thread_block();\n"
      "  auto pipe = cuda::make_pipeline();\n"
      "  if (threadIdx.x == 0) init(&bar, blockDim.x);\n  __syncthreads();\n"
      "  cuda::memcpy_async(block, tile, x + blockIdx.x * 64, cuda::aligned_size_t<4>(64 * sizeof(float)), bar);\n"
      "  bar.arrive_and_wait();\n  float other = tile[63 - threadIdx.x];\n  auto token = bar.arrive();\n  "
      "bar.wait(token);\n"
      "  pipe.producer_acquire();\n  cuda::memcpy_async(&tile[threadIdx.x], &x[blockIdx.x * 64 + threadIdx.x], 4, "
      "pipe);\n"
      "  pipe.producer_commit();\n  cuda::pipeline_consumer_wait_prior<0>(pipe);\n"
      "  out[blockIdx.x * 64 + threadIdx.x] = other + tile[threadIdx.x];\n}\n"
      "void run(float* x, float* out, int n) { sums<<<n / 64, 64>>>(x, out, n); }\n");
  CHECK(pointers_of(found) == "x: input f32 [n // 64, 64]\nout: output f32 [n // 64, 64]\n");
}

TEST_CASE("a header that the cpu device lacks is named in one sentence") {
  CHECK_THROWS_WITH(
      self_referenced("#include <cuda/semaphore>\n"
                      "__global__ void k(float* x, int n) {\n"
                      "  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> b; if (threadIdx.x < n) "
                      "x[threadIdx.x] = 1; }\n"
                      "void r(float* x, int n) { k<<<1, 32>>>(x, n); }\n"),
      Catch::Contains("the kernel of mine.cu needs <cuda/semaphore>, which the device that observes does not have"));
}

TEST_CASE("whole numbers that lead into an array are drawn below its extent") {
  const adopt::Adopted found = self_referenced(
      "__global__ void pick(const float* x, const int* which, float* out, int rows, int cols) {\n"
      "  const int row = blockIdx.x * 64 + threadIdx.x;\n"
      "  float sum = 0;\n  if (row >= rows) return;\n"
      "  for (int i = 0; i < cols; ++i) sum += x[row * cols + i];\n"
      "  out[row] = sum - x[row * cols + which[row]];\n}\n"
      "void r(const float* x, const int* w, float* o, int rows, int cols) {\n"
      "  pick<<<(rows + 63) / 64, 64>>>(x, w, o, rows, cols); }\n");
  const auto which = std::ranges::find(found.kernel.parameters, "which", &adopt::AdoptedParameter::name);
  REQUIRE(which->below != nullptr);
  CHECK(adopt::as_lua(*which->below, [](const std::string& symbol) { return symbol; }) == "cols");
}

TEST_CASE("groups that no small size shows are found at larger ones") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = self_referenced(
      "__global__ void scaled(const float* x, const float* scales, float* y, int rows, int cols) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y, groups = cols / 128;\n"
      "  if (i < cols) y[row * cols + i] = x[row * cols + i] * scales[row * groups + i / 128];\n}\n"
      "void r(const float* x, const float* s, float* y, int rows, int cols) {\n"
      "  scaled<<<dim3((cols + 63) / 64, rows), 64>>>(x, s, y, rows, cols); }\n");
  CHECK_THAT(pointers_of(found), Catch::Contains("x: input f32 [rows, cols]\n") &&
                                     Catch::Contains("scales: input f32 [rows * cols // 128]\n"));
}

TEST_CASE("a host's variable of which a part is passed follows from the parameter") {
  const adopt::Adopted found = self_referenced(
      "__global__ void twice(float2* y, const float2* x, int rows, int pairs) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < rows * pairs) y[i] = make_float2(2 * x[i].x, 2 * x[i].y);\n}\n"
      "void r(float2* y, const float2* x, int rows, int cols) {\n"
      "  const int all = rows * cols / 2;\n  twice<<<(all + 63) / 64, 64>>>(y, x, rows, cols / 2); }\n");
  CHECK(found.kernel.sizes.size() == 2);
  CHECK_THAT(pointers_of(found), Catch::Contains("pairs"));
}

TEST_CASE("indexes of 64 bits reach the reference as the type that the source names") {
  const Scratch scratch;
  scratch.write(
      "mine.cu",
      "#include <cstdint>\n__global__ void pick(const float* t, const int64_t* ids, float* out, int n, int rows) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) out[i] = t[ids[i]] + t[rows - 1]; }\n"
      "void r(const float* t, const int64_t* i, float* o, int n, int rows) {\n"
      "  pick<<<(n + 63) / 64, 64>>>(t, i, o, n, rows); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.arguments = {"t[rows] f32", "ids[n] s64 < rows"};
  CHECK(adopted(options).reference.words == "its own source in double");
}

TEST_CASE("a kernel that says numeric_limits gets its header, whatever the file included") {
  const adopt::Adopted found = self_referenced(
      "#include <limits>\n"
      "__global__ void largest(const float* x, float* out, int rows, int cols) {\n"
      "  const int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n"
      "  float most = std::numeric_limits<float>::lowest();\n"
      "  for (int i = 0; i < cols; ++i) most = fmaxf(most, x[row * cols + i]);\n  out[row] = most;\n}\n"
      "void run(const float* x, float* out, int rows, int cols) {\n"
      "  largest<<<(rows + 63) / 64, 64>>>(x, out, rows, cols); }\n");
  CHECK(pointers_of(found) == "x: input f32 [rows, cols]\nout: output f32 [rows]\n");
  CHECK(found.device.text.find("#include <harness/numeric_limits.cuh>") != std::string::npos);
}

TEST_CASE("the standard library of both sides, complex pairs and addresses of shared memory are there") {
  const adopt::Adopted found = self_referenced(
      "#include <cuComplex.h>\n#include <cuda/std/tuple>\n#include <cuda/std/type_traits>\n"
      "__global__ void k(float* x, int n) {\n"
      "  __shared__ float kept[32]; kept[threadIdx.x] = 1;\n"
      "  static_assert(cuda::std::is_same_v<cuda::std::tuple_element_t<0, cuda::std::tuple<int, char>>, int>);\n"
      "  const cuComplex z = cuCmulf(make_cuComplex(0, 2), make_cuComplex(0, 2));\n"
      "  if (threadIdx.x < n && __cvta_generic_to_shared(kept) % 4 == 0) x[threadIdx.x] = cuCrealf(z);\n}\n"
      "void r(float* x, int n) { k<<<1, 32>>>(x, n); }\n");
  CHECK(pointers_of(found).starts_with("x: output f32"));
}

TEST_CASE("a library of templates stays whole: the plugin keeps its headers, and its contract grants them") {
  const Scratch scratch;
  for (const char* folder : {"lib/cute/numeric", "lib/cuda/std"})
    std::filesystem::create_directories(scratch.path(folder));
  scratch.write("lib/cute/tensor.hpp", "#pragma once\n#include <cute/numeric/twice.hpp>\n");
  scratch.write("lib/cute/numeric/twice.hpp",
                "#pragma once\n#include <cuda/std/utility>\n#if 0\n#include \"gpu.hpp\"\n#endif\n"
                "namespace cute { template <class T> __device__ T twice(T x) { return x + x; } }\n");
  scratch.write("lib/cute/numeric/gpu.hpp", "// for another compiler\n");
  scratch.write("lib/cute/unused.hpp", "");
  scratch.write("lib/cuda/std/utility", "#error a toolkit's\n");
  scratch.write("mine.cu",
                "#include <cute/tensor.hpp>\n"
                "template <int kEach = 2> __global__ void k(float* y, const float* x, int n) {\n"
                "  const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = cute::twice(x[i]); }\n");
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  options.includes = {scratch.path("lib")};
  options.grid = "cdiv(n, 64)";
  options.block = "64";
  options.reference = "self";
  const adopt::Adopted found = adopted(options);
  CHECK(pointers_of(found) == "y: output f32 [n]\nx: input f32 [n]\n");
  std::string kept, contract, variant;
  for (const auto& [name, text] : found.files) {
    if (name.starts_with("cute/")) kept += name + " ";
    if (name == "kernel.lua") contract = text;
    if (name == "variants/00_original.lua") variant = text;
  }
  CHECK(kept == "cute/numeric/gpu.hpp cute/numeric/twice.hpp cute/tensor.hpp ");
  CHECK_THAT(contract, Catch::Contains("[\"library cute\"]"));
  CHECK_THAT(variant, Catch::Contains("\"k<>\""));  // a template whose arguments all have defaults
}
