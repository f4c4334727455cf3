#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "harness/adopt/kernel/launched.h"
#include "harness/adopt/observe/observed_launch.h"
#include "harness/core/error.h"
#include "tests/adopt/fixture.h"
#include "tests/support/turns.h"

// What ordinary files have taught that were written to be adopted: each case is one general cause.
using namespace harness;
using namespace harness::tests;

TEST_CASE("fields of a structure are what the host's function puts into it, in braces or one by one") {
  const std::string device =
      "struct Dims { int rows, cols; };\n"
      "__global__ void shift(const float* x, const float* by, float* y, Dims d) {\n"
      "  const int c = blockIdx.x * 64 + threadIdx.x, r = blockIdx.y;\n"
      "  if (c < d.cols) y[r * d.cols + c] = x[r * d.cols + c] + by[r];\n}\n"
      "void run(const float* x, const float* by, float* y, int R, int C) {\n";
  const std::string launch = "  shift<<<dim3((C + 63) / 64, R), 64>>>(x, by, y, d);\n}\n";
  for (const char* made : {"  Dims d{R, C};\n", "  Dims d;\n  d.rows = R;\n  d.cols = C;\n"}) {
    const adopt::Adopted found = self_referenced(device + made + launch);
    CHECK(pointers_of(found) ==
          "x: input f32 [d_rows, d_cols]\nby: input f32 [d_rows]\ny: output f32 [d_rows, d_cols]\n");
    CHECK(found.kernel.sizes.size() == 2);
  }
}

TEST_CASE("rows of half a size that lie another size apart") {
  const adopt::Adopted found = adopted_source(
      "#include <torch/extension.h>\n"
      "__global__ void turn(torch::PackedTensorAccessor32<float, 2> x,\n"
      "                     const torch::PackedTensorAccessor32<float, 2> angle) {\n"
      "  const int half = x.size(1) / 2;\n"
      "  for (int i = threadIdx.x; i < half; i += 32) {\n"
      "    x[blockIdx.x][i] *= angle[blockIdx.x][i];\n    x[blockIdx.x][i + half] *= angle[blockIdx.x][i];\n  }\n}\n"
      "void run(torch::Tensor x, torch::Tensor angle) {\n"
      "  TORCH_CHECK(x.size(1) % 2 == 0, \"even\");\n"
      "  turn<<<x.size(0), 32>>>(x.packed_accessor32<float, 2>(), angle.packed_accessor32<float, 2>());\n}\n");
  CHECK(pointers_of(found) == "x: inout f32 [x_size_0, x_size_1]\nangle: input f32 [x_size_0, x_size_1 // 2]\n");
  CHECK(found.reference.wide);  // `half` is a variable here, and no type
}

TEST_CASE("a function of the host that launches is no reference, whatever its name") {
  const adopt::Adopted found = adopted_source(
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"
      "void twice_host(const float* x, float* y, int n) { twice<<<(n + 63) / 64, 64>>>(x, y, n); }\n");
  CHECK(found.reference.wide);
}

TEST_CASE("a lambda of the host that rounds up is followed") {
  const adopt::Adopted found = self_referenced(
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"
      "void run(const float* x, float* y, int n) {\n"
      "  const auto blocks_for = [](int a, int b) { return (a + b - 1) / b; };\n"
      "  twice<<<blocks_for(n, 64), 64>>>(x, y, n);\n}\n");
  REQUIRE(found.kernel.launch.grid.size() == 1);
  CHECK(adopt::as_lua(*found.kernel.launch.grid[0], [](const std::string& symbol) { return symbol; }) == "cdiv(n, 64)");
  CHECK_FALSE(found.kernel.size("n")->limited);
  CHECK_THAT(found.files.at(0).second, Catch::Contains("n = range(1, 268435456)"));  // both arrays: 2^31 bytes
}

TEST_CASE("cub's pairs of a key and a value are made of both") {
  const adopt::Adopted found = self_referenced(
      "#include <cub/cub.cuh>\n"
      "__global__ void largest(const float* x, int* at, int cols) {\n"
      "  using Pair = cub::KeyValuePair<int, float>;\n  using Reduce = cub::BlockReduce<Pair, 64>;\n"
      "  __shared__ typename Reduce::TempStorage storage;\n  Pair best(0, -1e30f);\n"
      "  for (int c = threadIdx.x; c < cols; c += 64)\n"
      "    best = cub::ArgMax()(best, Pair(c, x[blockIdx.x * cols + c]));\n"
      "  best = Reduce(storage).Reduce(best, cub::ArgMax());\n  if (threadIdx.x == 0) at[blockIdx.x] = best.key;\n}\n"
      "void run(const float* x, int* at, int rows, int cols) { largest<<<rows, 64>>>(x, at, cols); }\n");
  CHECK(pointers_of(found) == "x: input f32 [rows, cols]\nat: output s32 [rows]\n");
}

TEST_CASE("cub loads, scans, sorts and stores the tile of a block") {
  const adopt::Adopted found = self_referenced(
      "#include <cub/cub.cuh>\n"
      "__global__ void sort_and_sum(const int* in, int* sorted, int* sums) {\n"
      "  using Load = cub::BlockLoad<int, 32, 2, cub::BLOCK_LOAD_WARP_TRANSPOSE>;\n"
      "  using Sort = cub::BlockRadixSort<int, 32, 2>;\n  using Scan = cub::BlockScan<int, 32>;\n"
      "  using Store = cub::BlockStore<int, 32, 2, cub::BLOCK_STORE_WARP_TRANSPOSE>;\n"
      "  __shared__ union {\n    typename Load::TempStorage load;\n    typename Sort::TempStorage sort;\n"
      "    typename Scan::TempStorage scan;\n    typename Store::TempStorage store;\n  } shared;\n"
      "  int keys[2], total;\n  Load(shared.load).Load(in + blockIdx.x * 64, keys);\n  __syncthreads();\n"
      "  Sort(shared.sort).Sort(keys);\n  __syncthreads();\n"
      "  Store(shared.store).Store(sorted + blockIdx.x * 64, keys);\n  __syncthreads();\n"
      "  Scan(shared.scan).InclusiveSum(keys, keys, total);\n  __syncthreads();\n"
      "  for (int i = 0; i < 2; ++i) sums[blockIdx.x * 64 + threadIdx.x * 2 + i] = total - keys[i];\n}\n"
      "void run(const int* in, int* sorted, int* sums, int tiles) { sort_and_sum<<<tiles, 32>>>(in, sorted, sums); "
      "}\n");
  CHECK(pointers_of(found) ==
        "in: input s32 [tiles, 64]\nsorted: output s32 [tiles, 64]\nsums: output s32 [tiles, 64]\n");
}

TEST_CASE("what each block writes is seen where one block covers more than the sizes that are tried first") {
  const std::string source =
      "__global__ void histogram(const unsigned* keys, unsigned* bins, int n, int shift) {\n"
      "  __shared__ unsigned own[32];\n  if (threadIdx.x < 32) own[threadIdx.x] = 0;\n  __syncthreads();\n"
      "  for (int i = blockIdx.x * 1024 + threadIdx.x; i < min(n, int(blockIdx.x + 1) * 1024); i += blockDim.x)\n"
      "    atomicAdd(&own[(keys[i] >> (shift & 31)) & 31], 1u);\n  __syncthreads();\n"
      "  if (threadIdx.x < 32) bins[blockIdx.x * 32 + threadIdx.x] = own[threadIdx.x];\n}\n"
      "void run(const unsigned* keys, unsigned* bins, int n, int shift) {\n"
      "  histogram<<<(n + 1023) / 1024, 128>>>(keys, bins, n, shift);\n}\n";
  const std::string pointers = "keys: input u32 [n]\nbins: output u32 [cdiv(n, 1024), 32]\n";
  CHECK(pointers_of(self_referenced(source)) == pointers);
  // 1024 is eight elements a thread, but the kernel's own number: the grid stays where the block changes.
  adopt::AdoptOptions options;
  options.tune = {"block=64"};
  const adopt::Adopted tuned = self_referenced(source, options);
  const auto text = [](const adopt::FormulaPtr& each) {
    return adopt::as_lua(*each, [](const auto& symbol) { return symbol; });
  };
  CHECK(pointers_of(tuned) == pointers);
  CHECK(text(tuned.kernel.launch.grid.at(0)) == "cdiv(n, 1024)");
  CHECK(text(tuned.kernel.launch.block.at(0)) == "p.block");
}

TEST_CASE("a grid of several elements for each thread follows the block where the kernel reads that") {
  adopt::AdoptOptions options;
  options.tune = {"block=64"};
  const adopt::Adopted found = self_referenced(
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  for (int k = 0; k < 4; ++k) {\n    const int i = (blockIdx.x * 4 + k) * blockDim.x + threadIdx.x;\n"
      "    if (i < n) y[i] = 2 * x[i];\n  }\n}\n"
      "void run(const float* x, float* y, int n) { twice<<<(n + 511) / 512, 128>>>(x, y, n); }\n",
      options);
  CHECK(pointers_of(found) == "x: input f32 [n]\ny: output f32 [n]\n");
  CHECK(adopt::as_lua(*found.kernel.launch.grid.at(0), [](const auto& symbol) { return symbol; }) ==
        "cdiv(n, 4 * p.block)");
}

TEST_CASE("an array that every block goes through has the order of one with the same extents") {
  const adopt::Adopted found = self_referenced(
      "__global__ void add(const float* qkv, const float* bias, float* q, float* k, float* v, int heads, int dim) {\n"
      "  const int hidden = heads * dim;\n  for (int i = threadIdx.x; i < hidden; i += blockDim.x) {\n"
      "    const int at = blockIdx.x * 3 * hidden + i, to = blockIdx.x * hidden + i;\n"
      "    q[to] = qkv[at] + bias[i];\n    k[to] = qkv[at + hidden] + bias[hidden + i] * (i / dim);\n"
      "    v[to] = qkv[at + 2 * hidden] + bias[2 * hidden + i];\n  }\n}\n"
      "void run(const float* qkv, const float* bias, float* q, float* k, float* v, int tokens, int heads, int dim) {\n"
      "  add<<<tokens, 64>>>(qkv, bias, q, k, v, heads, dim);\n}\n");
  CHECK(pointers_of(found) ==
        "qkv: input f32 [tokens, 3, heads, dim]\nbias: input f32 [3, heads, dim]\n"
        "q: output f32 [tokens, heads, dim]\nk: output f32 [tokens, heads, dim]\nv: output f32 [tokens, heads, dim]\n");
}

TEST_CASE("an index is found where rows of its table are read in pairs") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = self_referenced(
      "#include <cuda_fp16.h>\n"
      "__global__ void embed(const int* ids, const __half* table, __half* out, int dim, int vocab) {\n"
      "  const int id = ids[blockIdx.x];\n  if (id < 0 || id >= vocab) return;\n"
      "  const __half2* row = (const __half2*)(table + (size_t)id * dim);\n"
      "  __half2* to = (__half2*)(out + (size_t)blockIdx.x * dim);\n"
      "  for (int i = threadIdx.x; i < dim / 2; i += blockDim.x) to[i] = row[i];\n}\n"
      "void run(const int* ids, const __half* table, __half* out, int count, int dim, int vocab) {\n"
      "  embed<<<count, 64>>>(ids, table, out, dim, vocab);\n}\n");
  CHECK(pointers_of(found) == "ids: input s32 [count]\ntable: input f16 [vocab, dim]\nout: output f16 [count, dim]\n");
}

TEST_CASE("rows of a table that an index leads to are innermost, whatever the order of the sizes") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = self_referenced(
      "__global__ void look_up(float* out, const int* ids, const float* table, int dim, int vocab) {\n"
      "  const int id = ids[blockIdx.x];\n"
      "  for (int i = threadIdx.x; i < dim; i += 32)\n"
      "    out[blockIdx.x * dim + i] = id < vocab ? table[id * dim + i] : 0;\n}\n"
      "void run(float* out, const int* ids, const float* table, int tokens, int dim, int vocab) {\n"
      "  look_up<<<tokens, 32>>>(out, ids, table, dim, vocab);\n}\n");
  CHECK(pointers_of(found) ==
        "out: output f32 [tokens, dim]\nids: input s32 [tokens]\ntable: input f32 [vocab, dim]\n");
}

TEST_CASE("what the kernel is not told is outermost, and a condition may name a tensor's extent") {
  const adopt::Adopted found = self_referenced(
      "#include <torch/extension.h>\n"
      "__global__ void centre(const float* x, const float* by, float* y, int C, int L, int groups) {\n"
      "  const int each = C / groups, first = blockIdx.x % groups * each;\n"
      "  for (int i = threadIdx.x; i < each * L; i += 32)\n"
      "    y[blockIdx.x * each * L + i] = x[blockIdx.x * each * L + i] - by[first + i / L];\n}\n"
      "void run(torch::Tensor x, torch::Tensor by, torch::Tensor y, int64_t groups) {\n"
      "  TORCH_CHECK(x.size(1) % groups == 0, \"channels\");\n"
      "  const int N = x.size(0), C = x.size(1), L = x.size(2);\n"
      "  centre<<<N * groups, 32>>>(x.data_ptr<float>(), by.data_ptr<float>(), y.data_ptr<float>(), C, L, "
      "groups);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [x_size_0, C, L]\nby: input f32 [C]\ny: output f32 [x_size_0, C, L]\n");
  REQUIRE(found.kernel.conditions.size() == 1);
  CHECK(found.kernel.conditions[0].evidence == "mine.cu:8 asks for it");
}

TEST_CASE("an array is as long as the host allocates it where values say what of it is touched") {
  const adopt::Adopted found = self_referenced(
      "#define BINS 64\n"
      "__global__ void count(const float* x, unsigned* bins, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n"
      "  if (i < n && x[i] >= 0 && x[i] < 1) atomicAdd(&bins[(int)(x[i] * BINS)], 1u);\n}\n"
      "int main() {\n  const int n = 100000;\n  float* x;\n  unsigned* bins;\n"
      "  cudaMalloc(&x, n * sizeof(float));\n  cudaMalloc(&bins, BINS * sizeof(unsigned));\n"
      "  cudaMemset(bins, 0, BINS * sizeof(unsigned));\n  count<<<(n + 63) / 64, 64>>>(x, bins, n);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [n]\nbins: inout u32 [64]\n");
}

TEST_CASE("a border that the kernel leaves out is part of the array") {
  const adopt::Adopted found = self_referenced(
      "__global__ void smooth(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x + 1;\n"
      "  if (i < n - 1) y[i] = x[i - 1] + x[i + 1];\n}\n"
      "void run(const float* x, float* y, int n) { smooth<<<(n + 61) / 64, 64>>>(x, y, n); }\n");
  CHECK(pointers_of(found) == "x: input f32 [n]\ny: inout f32 [n]\n");
  CHECK(found.kernel.size("n")->step == 1);
}

TEST_CASE("so is the border of a grid, in what is read too") {
  const adopt::Adopted found = self_referenced(
      "__global__ void step(const float* u, const float* f, float* next, int nx, int ny) {\n"
      "  const int i = blockIdx.x * 16 + threadIdx.x + 1, j = blockIdx.y * 16 + threadIdx.y + 1;\n"
      "  if (i < nx - 1 && j < ny - 1)\n"
      "    next[j * nx + i] = u[j * nx + i - 1] + u[j * nx + i + 1] + u[(j - 1) * nx + i] + u[(j + 1) * nx + i] - "
      "f[j * nx + i];\n}\n"
      "void run(const float* u, const float* f, float* next, int nx, int ny) {\n"
      "  const dim3 block(16, 16), grid((nx + 13) / 16, (ny + 13) / 16);\n"
      "  step<<<grid, block>>>(u, f, next, nx, ny);\n}\n");
  CHECK(pointers_of(found) == "u: input f32 [ny, nx]\nf: input f32 [ny, nx]\nnext: inout f32 [ny, nx]\n");
}

TEST_CASE("a step that one of many sizes needs is found") {
  if (tests::is_nightly()) return;
  const adopt::Adopted found = self_referenced(
      "__global__ void sums(const float* x, float* y, int a, int b, int c, int channels) {\n"
      "  float sum = 0;\n"
      "  const size_t row = (blockIdx.z * (size_t)b + blockIdx.y) * c + blockIdx.x;\n"
      "  for (int k = 0; k < channels; k += 32) sum += x[row * channels + k + threadIdx.x];\n"
      "  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);\n"
      "  if (threadIdx.x == 0) y[row] = sum;\n}\n"
      "void run(const float* x, float* y, int a, int b, int c, int channels) {\n"
      "  sums<<<dim3(c, b, a), 32>>>(x, y, a, b, c, channels);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [a, b, c, channels]\ny: output f32 [a, b, c]\n");
  CHECK(found.kernel.size("channels")->step == 32);
  CHECK(found.kernel.size("a")->step == 1);
}

TEST_CASE("a step that only shows where another size is large is not given up") {
  const adopt::Adopted found = self_referenced(
      "__global__ void twice(const float* x, float* y, int rows, int cols) {\n"
      "  const int r = blockIdx.x;\n"
      "  const int unit = rows < 128 ? 2 : 4;\n"
      "  for (int c = threadIdx.x; c < cols / unit; c += 32)\n"
      "    for (int k = 0; k < unit; ++k) y[r * cols + unit * c + k] = 2 * x[r * cols + unit * c + k];\n}\n"
      "void run(const float* x, float* y, int rows, int cols) { twice<<<rows, 32>>>(x, y, rows, cols); }\n");
  CHECK(found.kernel.size("cols")->step == 4);
}

TEST_CASE("points of three coordinates in an accessor") {
  const adopt::Adopted found = self_referenced(
      "#include <torch/extension.h>\n"
      "__global__ void lengths(const torch::PackedTensorAccessor32<float, 2> x, float* y) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i >= x.size(0)) return;\n  float sum = 0;\n"
      "  for (int k = 0; k < 3; ++k) sum += x[i][k] * x[i][k];\n  y[i] = sum;\n}\n"
      "void run(torch::Tensor x, torch::Tensor y) {\n"
      "  lengths<<<(x.size(0) + 63) / 64, 64>>>(x.packed_accessor32<float, 2>(), y.data_ptr<float>());\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [x_size_0, 3]\ny: output f32 [x_size_0]\n");
}

TEST_CASE("what is only read is drawn, whatever one program sets it to") {
  const adopt::Adopted found = self_referenced(
      "__global__ void twice(const float* x, float* y, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n"
      "int main() {\n  int n = 1000;\n  float *x, *y;\n  cudaMalloc(&x, n * 4);\n  cudaMalloc(&y, n * 4);\n"
      "  cudaMemset(x, 0, n * 4);\n  twice<<<(n + 63) / 64, 64>>>(x, y, n);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [n]\ny: output f32 [n]\n");
  CHECK_FALSE(found.kernel.parameters.at(0).zeroed);
}

TEST_CASE("operators of older CUB come with the plugin") {
  const adopt::Adopted found = self_referenced(
      "#include <cub/cub.cuh>\n"
      "__global__ void largest(const float* x, float* y, int cols) {\n"
      "  using Reduce = cub::BlockReduce<float, 64>;\n  __shared__ typename Reduce::TempStorage storage;\n"
      "  float most = -1e30f;\n"
      "  for (int c = threadIdx.x; c < cols; c += 64) most = fmaxf(most, x[blockIdx.x * cols + c]);\n"
      "  most = Reduce(storage).Reduce(most, cub::Max());\n  if (threadIdx.x == 0) y[blockIdx.x] = most;\n}\n"
      "void run(const float* x, float* y, int rows, int cols) { largest<<<rows, 64>>>(x, y, cols); }\n");
  CHECK(std::ranges::count(found.device.headers, "harness/cub_operators.cuh") == 1);
}

TEST_CASE("a kernel of halves whose file never says the type gets its header") {
  const adopt::Adopted found = self_referenced(
      "#include <torch/extension.h>\n"
      "template <typename T> __global__ void twice(const T* x, T* y, int n) {\n"
      "  const int i = blockIdx.x * 64 + threadIdx.x;\n  if (i < n) y[i] = static_cast<T>(2 * "
      "static_cast<float>(x[i]));\n}\n"
      "void run(torch::Tensor x, torch::Tensor y, int n) {\n"
      "  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), \"twice\", [&] {\n"
      "    twice<scalar_t><<<(n + 63) / 64, 64>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);\n  });\n}\n");
  CHECK(found.kernel.dtypes == std::vector{Dtype::f32, Dtype::f16});
}

TEST_CASE("matrices of a batch with a leading dimension, and rows that must not overlap") {
  const adopt::Adopted found = self_referenced(
      "__global__ void add(const double* a, int lda, double* out, int ldo, int m, int n) {\n"
      "  const int i = blockIdx.x * 32 + threadIdx.x;\n  if (i >= m) return;\n"
      "  for (int j = 0; j < n; ++j) {\n    const size_t row = blockIdx.y * (size_t)n + j;\n"
      "    out[row * ldo + i] = 2 * a[row * lda + i];\n  }\n}\n"
      "void run(const double* a, int lda, double* out, int ldo, int m, int n, int batch) {\n"
      "  add<<<dim3((m + 31) / 32, batch), 32>>>(a, lda, out, ldo, m, n);\n}\n");
  CHECK(pointers_of(found) == "a: input f64 [batch, n, m]\nout: output f64 [batch, n, m]\n");
  REQUIRE(found.kernel.conditions.size() == 2);
  CHECK(found.kernel.conditions[1].evidence == "rows of 'out' do not overlap");
}

TEST_CASE("a mask says whether something is read, not how far arrays go") {
  const adopt::Adopted found = self_referenced(
      "__global__ void keep(const float* x, const unsigned char* mask, float* y, int cols) {\n"
      "  float s = 0;\n  for (int c = threadIdx.x; c < cols; c += 32)\n"
      "    if (mask[blockIdx.x * cols + c]) s += x[blockIdx.x * cols + c];\n"
      "  for (int o = 16; o; o /= 2) s += __shfl_down_sync(~0u, s, o);\n  if (threadIdx.x == 0) y[blockIdx.x] = s;\n}\n"
      "void run(const float* x, const unsigned char* mask, float* y, int rows, int cols) {\n"
      "  keep<<<rows, 32>>>(x, mask, y, cols);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [rows, cols]\nmask: input u8 [rows, cols]\ny: output f32 [rows]\n");
}

TEST_CASE("an input that some sizes leave a part of out is as long as no size goes beyond") {
  const adopt::Adopted found = self_referenced(
      "__global__ void thin(const float* x, float* y, int n, int by, int count) {\n"
      "  const int i = blockIdx.x * 32 + threadIdx.x;\n  if (i < count) y[i] = x[i * by + by - 1];\n}\n"
      "void run(const float* x, float* y, int n, int by) {\n  int count = n / by;\n"
      "  thin<<<(count + 31) / 32, 32>>>(x, y, n, by, count);\n}\n");
  CHECK(pointers_of(found) == "x: input f32 [n]\ny: output f32 [n // by]\n");
}

TEST_CASE("the elements of one vector are innermost, also where each thread takes several") {
  const adopt::Adopted found = self_referenced(
      "__global__ void twice(const float4* x, float4* y, int n) {\n"
      "  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += gridDim.x * 32) {\n"
      "    float4 v = x[i];\n    v.x *= 2;\n    y[i] = v;\n  }\n}\n"
      "void run(const float4* x, float4* y, int n) { twice<<<(n + 31) / 32, 32>>>(x, y, n); }\n");
  CHECK(pointers_of(found) == "x: input f32 [n, 4]\ny: output f32 [n, 4]\n");
}

TEST_CASE("sizes at which a launch has no blocks are none of the domain") {
  const adopt::Adopted shifted = self_referenced(
      "__global__ void shift(int steps, const int* src, int* dst, int cols, int border) {\n"
      "  int i = blockIdx.x * 256 + threadIdx.x - border;\n  if (i < 0 || i >= cols) return;\n"
      "  int v = src[i];\n  for (int s = 0; s < steps; s++) v = v * 3 + 1;\n  dst[i] = v;\n}\n"
      "int main(int argc, char** argv) {\n  int cols = atoi(argv[1]), depth = atoi(argv[2]), border = depth * 1;\n"
      "  int blocks = cols / (256 - depth * 2) + 1;\n  int *a, *b;\n  cudaMalloc(&a, cols * sizeof(int));\n"
      "  cudaMalloc(&b, cols * sizeof(int));\n  shift<<<blocks, 256>>>(depth, a, b, cols, border);\n}\n");
  CHECK(shifted.kernel.size("steps")->high == 127);  // from 128 on the quotient is negative, or divides by zero
}

namespace {

constexpr const char* kProduct =
    "__global__ void product(const float* a, const float* b, float* c, int n, int k) {\n"
    "  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;\n"
    "  if (i >= n || j >= n) return;\n  float s = 0;\n"
    "  for (int t = 0; t < k; ++t) s += a[i * k + t] * b[t * n + j];\n  c[i * n + j] = s;\n}\n"
    "void run(const float* a, const float* b, float* c, int n, int k) {\n"
    "  dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);\n"
    "  product<<<grid, block>>>(a, b, c, n, k);\n}\n";

}  // namespace

TEST_CASE("how much a launch does is counted from the text, not from a clock") {
  const Scratch scratch;
  scratch.write("mine.cu", kProduct);
  adopt::AdoptOptions options;
  options.file = scratch.path("mine.cu");
  const adopt::AdoptedKernel kernel = adopt::launch(adopt::declare(options)).kernel;
  CHECK(adopt::point_of(kernel, {{"n", 32}, {"k", 100}}).turns == 32 * 32 * 100);
}

TEST_CASE("a busy machine adopts the same as an idle one") {
  if (tests::is_nightly()) return;
  const adopt::Adopted idle = adopted_source(kProduct);
  std::atomic<bool> done = false;
  std::vector<std::jthread> load;
  for (unsigned i = 0; i < 2 * std::max(1U, std::thread::hardware_concurrency()); ++i)
    load.emplace_back([&done] {
      while (!done) {
      }
    });
  const adopt::Adopted busy = adopted_source(kProduct);
  done = true;
  CHECK(busy.files == idle.files);
}
