#include <harness/convert.cuh>
#include <harness/exp2.cuh>
#include <harness/vec.cuh>

#include "rows.cuh"

// Idea: tiles of 64 x 64 pairs in shared memory, and fp32 multiply-adds. A block of 16 x 16 threads *holds* 64 rows and
// *walks* over tiles of 64 others. Holding keys (K and V) it forms d_k and d_v of them, holding queries (Q and dO)
// their d_q: the same program with its factors exchanged, once for each. Of S and dP a thread has 4 x 4 pairs, of a
// result 4 rows and D / 16 columns, so that an element from shared memory feeds four multiply-adds or more. P and dS go
// to the other layout through one tile of shared memory. Rows of tiles have 16 bytes more than their elements, which
// takes the rows that eight threads read at once to different banks. Cost: seven products instead of five, as in
// 00_naive, and every element is converted to fp32 where it is used. Stops: at fp32 multiply-adds, a fifteenth of what
// tensor cores do.

namespace {

constexpr int kRows = 64, kSide = 16, kEach = kRows / kSide, kThreads = kSide * kSide, kPitch = kRows + 4;

template <class T, int D>
struct alignas(16) Tile {
  T at[kRows][D + 8];

  /// Rows from `count` on become 0.
  __device__ void load(const T* from, int count) {
    for (int i = threadIdx.x; i < kRows * D / 8; i += kThreads) {
      const int row = i / (D / 8), column = i % (D / 8) * 8;
      harness::Vec<T, 8> vector{};
      if (row < count) vector = harness::load<8>(from + static_cast<long long>(row) * D + column);
      harness::store(&at[row][column], vector);
    }
  }
};

template <class T, int D>
struct Shared {
  Tile<T, D> held[2], met[2];
  float factor[kRows][kPitch];  // P or dS: [row that is met][row that is held]
};

/// x[i][j] = <row y + 16 i of a, row x + 16 j of b>
template <class T, int D>
__device__ void multiply_rows(float (&sum)[kEach][kEach], const Tile<T, D>& a, const Tile<T, D>& b, int x, int y) {
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j) sum[i][j] = 0;
  for (int d = 0; d < D; d += 8) {
    harness::Vec<T, 8> right[kEach];
#pragma unroll
    for (int j = 0; j < kEach; ++j) right[j] = harness::load<8>(&b.at[x + kSide * j][d]);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const harness::Vec<T, 8> left = harness::load<8>(&a.at[y + kSide * i][d]);
#pragma unroll
      for (int j = 0; j < kEach; ++j)
#pragma unroll
        for (int e = 0; e < 8; ++e)
          sum[i][j] = fmaf(harness::to_float(left.at[e]), harness::to_float(right[j].at[e]), sum[i][j]);
    }
  }
}

/// Rows 4 y and on, columns D / 16 x and on: sum += factor^T b.
template <class T, int D>
__device__ void multiply_columns(float (&sum)[kEach][D / kSide], const float (&factor)[kRows][kPitch],
                                 const Tile<T, D>& b, int x, int y) {
#pragma unroll 4
  for (int r = 0; r < kRows; ++r) {
    const harness::Vec<T, D / kSide> right = harness::load<D / kSide>(&b.at[r][x * (D / kSide)]);
    const harness::Vec<float, 4> left = harness::load<4>(&factor[r][4 * y]);
#pragma unroll
    for (int i = 0; i < kEach; ++i)
#pragma unroll
      for (int c = 0; c < D / kSide; ++c) sum[i][c] = fmaf(left.at[i], harness::to_float(right.at[c]), sum[i][c]);
  }
}

template <class T, int D>
__device__ void store(T* to, const float (&sum)[kEach][D / kSide], float scale, int count, int x, int y) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    harness::Vec<T, D / kSide> vector;
#pragma unroll
    for (int c = 0; c < D / kSide; ++c) vector.at[c] = harness::from_float<T>(scale * sum[i][c]);
    if (4 * y + i < count) harness::store(to + static_cast<long long>(4 * y + i) * D + x * (D / kSide), vector);
  }
}

}  // namespace

/// HOLDS_KEYS: to_first is d_k and to_second d_v; else to_first is d_q.
template <class T, int D, bool HOLDS_KEYS, int BLOCKS>
__global__ void __launch_bounds__(kThreads, BLOCKS)
    backward(const T* q, const T* k, const T* v, const T* d_o, const float* lse_of_tiles, const float* deltas,
             T* to_first, T* to_second, float scale, int Hq, int Hkv, int Sq, int Sk, int padded, int causal) {
  extern __shared__ float4 shared_memory[];
  auto& shared = *reinterpret_cast<Shared<T, D>*>(shared_memory);
  const int x = threadIdx.x % kSide, y = threadIdx.x / kSide, shift = Sk - Sq, group = Hq / Hkv;
  const int first = blockIdx.x * kRows, held_rows = HOLDS_KEYS ? Sk : Sq, met_rows = HOLDS_KEYS ? Sq : Sk;
  const long long head = blockIdx.y;  // of what is held, of all batches
  // The heads that are met: those of the group, or the one that the query head has.
  const long long first_head = HOLDS_KEYS ? head / Hkv * Hq + head % Hkv * group : head / Hq * Hkv + head % Hq / group;
  const int heads = HOLDS_KEYS ? group : 1;
  // Queries before the diagonal do not see the keys, keys behind it are not seen.
  const int begin = HOLDS_KEYS && causal ? max(0, first - shift) / kRows * kRows : 0;
  const int end = !HOLDS_KEYS && causal ? min(Sk, max(0, first + kRows + shift)) : met_rows;

  const long long own = (head * held_rows + first) * D;
  shared.held[0].load((HOLDS_KEYS ? k : q) + own, held_rows - first);
  shared.held[1].load((HOLDS_KEYS ? v : d_o) + own, held_rows - first);
  float sum_first[kEach][D / kSide] = {}, sum_second[kEach][D / kSide] = {};
  for (int h = 0; h < heads; ++h)
    for (int at = begin; at < end; at += kRows) {
      const long long met = ((first_head + h) * met_rows + at) * D;
      __syncthreads();
      shared.met[0].load((HOLDS_KEYS ? q : k) + met, met_rows - at);
      shared.met[1].load((HOLDS_KEYS ? d_o : v) + met, met_rows - at);
      __syncthreads();
      float p[kEach][kEach], ds[kEach][kEach];
      multiply_rows<T, D>(p, shared.held[0], shared.met[0], x, y);
      multiply_rows<T, D>(ds, shared.held[1], shared.met[1], x, y);
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) {
          const int held = first + y + kSide * i, other = at + x + kSide * j;
          const int query = HOLDS_KEYS ? other : held, key = HOLDS_KEYS ? held : other;
          const long long of_query = (HOLDS_KEYS ? first_head + h : head) * padded + query;  // rows of whole tiles
          const bool sees = key < Sk && (!causal || key <= query + shift);
          p[i][j] =
              sees ? harness::exp2_approx(fmaf(p[i][j], scale, -lse_of_tiles[of_query]) * 1.4426950408889634f) : 0.0f;
          ds[i][j] = p[i][j] * (ds[i][j] - deltas[of_query]);
          if constexpr (HOLDS_KEYS) shared.factor[x + kSide * j][y + kSide * i] = p[i][j];
        }
      if constexpr (HOLDS_KEYS) {
        __syncthreads();
        multiply_columns<T, D>(sum_second, shared.factor, shared.met[1], x, y);
        __syncthreads();
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j) shared.factor[x + kSide * j][y + kSide * i] = ds[i][j];
      __syncthreads();
      multiply_columns<T, D>(sum_first, shared.factor, shared.met[0], x, y);
    }
  store<T, D>(to_first + own, sum_first, scale, held_rows - first, x, y);
  if constexpr (HOLDS_KEYS) store<T, D>(to_second + own, sum_second, 1.0f, held_rows - first, x, y);
}
