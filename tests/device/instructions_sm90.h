#pragma once
#include "harness/core/plan.h"
#include "tests/device/instructions.h"

// The instructions of sm_90 in the manner of instructions.h: one block, and the tensor maps that an entry takes behind
// `(const unsigned* in, unsigned* out)`.
namespace harness::test {

inline const char* const kSm90Source = R"(
#include <harness/mbarrier.cuh>
#include <harness/tma.cuh>
#include <harness/warpgroup.cuh>
#include <harness/wgmma.cuh>

// Element (row, column) of a panel of 64 columns, swizzled by 128 bytes.
__device__ int in_panel(int row, int column) { return row * 64 + (((column / 8) ^ (row % 8)) * 8) + column % 8; }

// in: A 64 x 64, B N x 64, row by row. out: A B^T, 64 x N in fp32.
template <class T, int N> __global__ void wgmma_shared(const unsigned* in, unsigned* out) {
  __shared__ __align__(1024) unsigned short a[64 * 64], b[N * 64];
  const unsigned short* elements = reinterpret_cast<const unsigned short*>(in);
  for (int i = threadIdx.x; i < 64 * 64; i += 128) a[in_panel(i / 64, i % 64)] = elements[i];
  for (int i = threadIdx.x; i < N * 64; i += 128) b[in_panel(i / 64, i % 64)] = elements[64 * 64 + i];
  harness::async_proxy_fence();
  __syncthreads();
  float d[N / 2];
  harness::wgmma_fence();
  for (int s = 0; s < 4; ++s)
    harness::wgmma<T, N>(d, harness::wgmma_descriptor(a + 16 * s),
                         harness::wgmma_advance(harness::wgmma_descriptor(b), 32 * s), s != 0);
  harness::wgmma_commit();
  harness::wgmma_wait<0>();
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = 2 * (threadIdx.x % 4);
  for (int i = 0; i < N / 2; ++i) out[(row + i / 2 % 2 * 8) * N + 8 * (i / 4) + column + i % 2] = __float_as_uint(d[i]);
}

// in: A 64 x 32, then B 32 x N (N a multiple of 64), row by row. out: A B + 1. A in registers, B "transposed".
template <class T, int N> __global__ void wgmma_registers(const unsigned* in, unsigned* out) {
  __shared__ __align__(1024) unsigned short b[32 * N];
  const unsigned short* elements = reinterpret_cast<const unsigned short*>(in);
  for (int i = threadIdx.x; i < 32 * N; i += 128)
    b[i % N / 64 * 32 * 64 + in_panel(i / N, i % 64)] = elements[64 * 32 + i];
  harness::async_proxy_fence();
  __syncthreads();
  const int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = 2 * (threadIdx.x % 4);
  float d[N / 2];
  for (int i = 0; i < N / 2; ++i) d[i] = 1;
  unsigned a[2][4];
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < 4; ++i) a[s][i] = in[((row + i % 2 * 8) * 32 + 16 * s + column + i / 2 * 8) / 2];
  harness::wgmma_fence();
  for (int s = 0; s < 2; ++s)
    harness::wgmma<T, N, true>(d, a[s], harness::wgmma_advance(harness::wgmma_descriptor(b, 1024, 32 * 128), 2048 * s), 1);
  harness::wgmma_commit();
  harness::wgmma_wait<0>();
  for (int i = 0; i < N / 2; ++i) out[(row + i / 2 % 2 * 8) * N + 8 * (i / 4) + column + i % 2] = __float_as_uint(d[i]);
}

// The bytes of a box as they lie in shared memory.
template <int RANK, int WORDS, int X, int Y>
__global__ void tensor_load(const unsigned*, unsigned* out, const __grid_constant__ harness::TensorMap map) {
  __shared__ __align__(1024) unsigned tile[WORDS];
  __shared__ harness::Mbarrier full;
  if (threadIdx.x == 0) {
    harness::mbarrier_init(&full, 1);
    harness::mbarrier_init_fence();
    harness::mbarrier_arrive_expect(&full, 4 * WORDS);
    if constexpr (RANK == 2) harness::tma_load(tile, map, &full, X, Y);
    if constexpr (RANK == 3) harness::tma_load(tile, map, &full, X, Y, 1);
    if constexpr (RANK == 4) harness::tma_load(tile, map, &full, X, Y, 1, 1);
  }
  __syncthreads();
  harness::mbarrier_wait(&full, 0);
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) out[i] = tile[i];
}

// in: the box row by row, in swizzled order. The map is of out.
template <int WORDS, int X, int Y>
__global__ void tensor_store(const unsigned* in, unsigned*, const __grid_constant__ harness::TensorMap map) {
  __shared__ __align__(1024) unsigned tile[WORDS];
  for (int i = threadIdx.x; i < WORDS; i += blockDim.x) tile[i] = in[i];
  harness::async_proxy_fence();
  __syncthreads();
  if (threadIdx.x != 0) return;
  harness::tma_store(map, tile, X, Y, 0, 0);
  harness::bulk_commit();
  harness::bulk_wait_read<0>();
}

// 8 rows of 32 words through a ring of two, there and back: the first warp asks, the second adds its row's number.
__global__ void ring(const unsigned* in, unsigned* out) {
  __shared__ __align__(128) unsigned stages[2][32], results[2][32];
  __shared__ harness::Mbarrier full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int s = 0; s < 2; ++s) harness::mbarrier_init(&full[s], 1), harness::mbarrier_init(&empty[s], 32);
    harness::mbarrier_init_fence();
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    if (harness::elect_one())
      for (int row = 0; row < 8; ++row) {
        harness::mbarrier_wait(&empty[row % 2], (row / 2 & 1) ^ 1);
        harness::mbarrier_arrive_expect(&full[row % 2], 128);
        harness::bulk_load(stages[row % 2], in + 32 * row, 128, &full[row % 2]);
      }
    return;
  }
  const int lane = threadIdx.x % 32;
  for (int row = 0; row < 8; ++row) {
    harness::mbarrier_wait(&full[row % 2], row / 2 & 1);
    const unsigned word = stages[row % 2][lane];
    harness::mbarrier_arrive(&empty[row % 2]);
    if (lane == 0) harness::bulk_wait_read<1>();
    __syncwarp();
    results[row % 2][lane] = word + row;
    harness::async_proxy_fence();
    __syncwarp();
    if (lane == 0) {
      harness::bulk_store(out + 32 * row, results[row % 2], 128);
      harness::bulk_commit();
    }
  }
  if (lane == 0) harness::bulk_wait_read<0>();
}

// Two warps write, two read what the others wrote, by barriers of their own.
__global__ void named_barriers(const unsigned* in, unsigned* out) {
  __shared__ unsigned words[128];
  const int pair = threadIdx.x / 64;
  words[threadIdx.x] = in[threadIdx.x];
  if (pair == 0) harness::named_barrier_sync<1>(64);
  else harness::named_barrier_sync<2>(64);
  const unsigned other = words[threadIdx.x ^ 63];
  if (threadIdx.x < 32) harness::named_barrier_arrive<3>(128);
  else if (threadIdx.x >= 96) harness::named_barrier_arrive<3>(128);
  else harness::named_barrier_sync<3>(128);
  out[threadIdx.x] = other;
}
)";

struct Sm90Case {
  InstructionCase basic;
  unsigned threads = 32;
  std::vector<TensorMap> maps;
};

inline Sm90Case wgmma_shared_case(bool bf16, int n) {
  Sm90Case test{
      {"wgmma_shared<" + std::string(bf16 ? "__nv_bfloat16," : "__half,") + std::to_string(n) + ">", {}, {}}, 128, {}};
  std::vector<std::uint16_t> elements;
  for (int row = 0; row < 64; ++row)
    for (int k = 0; k < 64; ++k) elements.push_back(small_integer(sample(row, k), bf16));
  for (int column = 0; column < n; ++column)
    for (int k = 0; k < 64; ++k) elements.push_back(small_integer(sample(k, 3 * column), bf16));
  test.basic.in = words_of(elements);
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < n; ++column) {
      int sum = 0;
      for (int k = 0; k < 64; ++k) sum += sample(row, k) * sample(k, 3 * column);
      test.basic.expected.push_back(bits_of(static_cast<float>(sum)));
    }
  return test;
}

inline Sm90Case wgmma_registers_case(bool bf16, int n) {
  Sm90Case test{
      {"wgmma_registers<" + std::string(bf16 ? "__nv_bfloat16," : "__half,") + std::to_string(n) + ">", {}, {}},
      128,
      {}};
  std::vector<std::uint16_t> elements;
  for (int row = 0; row < 64; ++row)
    for (int k = 0; k < 32; ++k) elements.push_back(small_integer(sample(row, k), bf16));
  for (int k = 0; k < 32; ++k)
    for (int column = 0; column < n; ++column) elements.push_back(small_integer(sample(5 * k, column), bf16));
  test.basic.in = words_of(elements);
  for (int row = 0; row < 64; ++row)
    for (int column = 0; column < n; ++column) {
      int sum = 1;
      for (int k = 0; k < 32; ++k) sum += sample(row, k) * sample(5 * k, column);
      test.basic.expected.push_back(bits_of(static_cast<float>(sum)));
    }
  return test;
}

/// Where the 16 bytes `chunk` of row `row` lie in a tile whose rows are as long as the swizzle's span, in 16 bytes.
/// CUDA C++ programming guide, "TMA swizzle": 128-byte span: chunk ^ row % 8; 64: chunk ^ row / 2 % 4; 32: chunk ^
/// row / 4 % 2.
inline int swizzled_chunk(int row, int chunk, int span) {
  const int chunks = span / 16;
  return row * chunks + (chunk ^ (row * chunks / 8 % chunks));
}

inline std::string swizzle_name(int span) {
  return span == 0 ? "none" : std::to_string(span) + "b";
}

/// A tensor of 40 rows of 64 words, of which the box at (x, y) takes 16 rows of `row_bytes`; its parts outside are 0.
inline Sm90Case tensor_load_case(int span, int row_bytes, int x, int y) {
  const int columns = row_bytes / 4, words = 16 * columns;
  Sm90Case test{
      {"tensor_load<2," + std::to_string(words) + "," + std::to_string(x) + "," + std::to_string(y) + ">", {}, {}},
      32,
      {}};
  test.maps = {{"in", Dtype::u32, {40, 64}, {64, 1}, {16, columns}, swizzle_name(span), "none"}};
  for (std::uint32_t i = 0; i < 40 * 64; ++i) test.basic.in.push_back(i + 1);
  test.basic.expected.resize(static_cast<std::size_t>(words));
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < columns; ++column) {
      const int r = y + row, c = x + column;
      const bool inside = r >= 0 && r < 40 && c >= 0 && c < 64;
      const int chunk = span == 0 ? row * columns / 4 + column / 4 : swizzled_chunk(row, column / 4, span);
      test.basic.expected[static_cast<std::size_t>(4 * chunk + column % 4)] =
          inside ? static_cast<std::uint32_t>(64 * r + c + 1) : 0;
    }
  return test;
}

/// Three and four dimensions: [3][5][8] words at (0, 2, 1), and [2][3][5][8] at (4, 3, 1, 1), boxes of 4 x 4 words.
inline Sm90Case deep_load_case(int rank) {
  const int x = rank == 3 ? 0 : 4, y = rank == 3 ? 2 : 3;
  Sm90Case test{
      {"tensor_load<" + std::to_string(rank) + ",16," + std::to_string(x) + "," + std::to_string(y) + ">", {}, {}},
      32,
      {}};
  for (std::uint32_t i = 0; i < 240; ++i) test.basic.in.push_back(i + 1);
  test.maps =
      rank == 3
          ? std::vector<TensorMap>{{"in", Dtype::u32, {3, 5, 8}, {40, 8, 1}, {1, 4, 4}, "none", "64b"}}
          : std::vector<TensorMap>{{"in", Dtype::u32, {2, 3, 5, 8}, {120, 40, 8, 1}, {1, 1, 4, 4}, "none", "128b"}};
  const int first = rank == 3 ? 40 : 160;
  for (int row = 0; row < 4; ++row)
    for (int column = 0; column < 4; ++column)
      test.basic.expected.push_back(y + row < 5 ? static_cast<std::uint32_t>(first + 8 * (y + row) + x + column + 1)
                                                : 0);
  return test;
}

/// 16 rows of 128 bytes into a tensor of [1][1][20][48] words at (32, 12): half of the columns and of the rows lie in
/// it.
inline Sm90Case tensor_store_case() {
  Sm90Case test{{"tensor_store<512,32,12>", std::vector<std::uint32_t>(512), std::vector<std::uint32_t>(960)}, 32, {}};
  test.maps = {{"out", Dtype::u32, {1, 1, 20, 48}, {960, 960, 48, 1}, {1, 1, 16, 32}, "128b", "none"}};
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < 32; ++column) {
      const auto value = static_cast<std::uint32_t>(100 * row + column + 1);
      test.basic.in[static_cast<std::size_t>(4 * swizzled_chunk(row, column / 4, 128) + column % 4)] = value;
      if (12 + row < 20 && 32 + column < 48)
        test.basic.expected[static_cast<std::size_t>((12 + row) * 48 + 32 + column)] = value;
    }
  return test;
}

inline Sm90Case ring_case() {
  Sm90Case test{{"ring", {}, {}}, 64, {}};
  for (std::uint32_t i = 0; i < 256; ++i) {
    test.basic.in.push_back(1000 + 7 * i);
    test.basic.expected.push_back(1000 + 7 * i + i / 32);
  }
  return test;
}

inline Sm90Case named_barriers_case() {
  Sm90Case test{{"named_barriers", {}, std::vector<std::uint32_t>(128)}, 128, {}};
  for (std::uint32_t i = 0; i < 128; ++i) test.basic.in.push_back(3 * i + 1);
  for (std::uint32_t i = 0; i < 128; ++i) test.basic.expected[i] = 3 * (i ^ 63) + 1;
  return test;
}

inline std::vector<Sm90Case> sm90_cases() {
  std::vector<Sm90Case> cases = {ring_case(), named_barriers_case(), tensor_store_case(), deep_load_case(3),
                                 deep_load_case(4)};
  for (const bool bf16 : {false, true}) {
    for (const int n : {64, 80, 176, 256}) cases.push_back(wgmma_shared_case(bf16, n));
    for (const int n : {64, 128}) cases.push_back(wgmma_registers_case(bf16, n));
  }
  cases.push_back(tensor_load_case(0, 64, 12, 5));
  for (const int span : {32, 64, 128}) cases.push_back(tensor_load_case(span, span, 8, 3));
  cases.push_back(tensor_load_case(128, 128, 48, 30));  // beyond both ends
  cases.push_back(tensor_load_case(128, 128, -4, -5));  // before both beginnings
  return cases;
}

inline std::vector<std::string> sm90_entries() {
  std::vector<std::string> entries;
  for (const Sm90Case& test : sm90_cases()) entries.push_back(test.basic.entry);
  return entries;
}

}  // namespace harness::test
