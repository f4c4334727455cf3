#pragma once
#include <harness/warp.cuh>

#include "mma_tiles.cuh"

// d_k and d_v of 16 WARPS keys by one block, which holds them and walks over the queries that see them, of all heads
// that share them: BLOCK_M at a time, in two buffers.
//
// A warp has 16 keys for itself: S^T = K Q^T and dP^T = V dO^T are products by rows (mma_tiles.cuh), and P^T and dS^T
// are the operands of d_v += P^T dO and d_k += dS^T Q from the registers in which they came to be. So nothing but dS
// goes through shared memory, and that only with ADD_QUERIES: d_q of a tile is a sum over keys, that is, over warps.
// The tile dS^T is put together there, the warps share the rows and columns of d_q = dS K, and add them up in device
// memory.
template <class T, int D, int WARPS, int BLOCK_M, bool ADD_QUERIES>
struct KeyBlock {
  static constexpr int kThreads = 32 * WARPS, kBlockN = 16 * WARPS, kGroups = BLOCK_M / 8;
  static constexpr int kKeyBytes = kBlockN * 2 * D, kQueryBytes = BLOCK_M * 2 * D, kFloatBytes = 4 * BLOCK_M;
  static constexpr int kStageBytes = 2 * kQueryBytes + 2 * kFloatBytes;
  // Of d_q: 16 rows a warp, and as many columns as are left to it.
  static constexpr int kRowTiles = BLOCK_M / 16, kParts = WARPS / kRowTiles > 0 ? WARPS / kRowTiles : 1;
  static constexpr int kColumns = D / kParts / 8, kRounds = kRowTiles * kParts / WARPS;
  static_assert(kColumns % 2 == 0 && kRowTiles * kParts % WARPS == 0, "d_q is shared out evenly");

  char* shared;  // K, V, then two stages of Q, dO, lse, delta; then dS
  int warp, group, pair;
  int first_key, shift, Sk;
  bool causal;
  float scale;
  float d_k[D / 8][4], d_v[D / 8][4];

  __device__ KeyBlock(char* shared, int first_key, int Sq, int Sk, bool causal, float scale)
      : shared(shared), first_key(first_key), shift(Sk - Sq), Sk(Sk), causal(causal), scale(scale) {
    warp = harness::uniform(threadIdx.x / 32);
    group = threadIdx.x % 32 / 4;
    pair = threadIdx.x % 4;
#pragma unroll
    for (int n = 0; n < D / 8; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) d_k[n][i] = d_v[n][i] = 0;
  }

  __device__ char* keys() const {
    return shared;
  }
  __device__ char* values() const {
    return shared + kKeyBytes;
  }
  __device__ char* queries(int stage) const {
    return shared + 2 * kKeyBytes + stage * kStageBytes;
  }
  __device__ char* gradients(int stage) const {
    return queries(stage) + kQueryBytes;
  }
  __device__ float* lse(int stage) const {
    return reinterpret_cast<float*>(queries(stage) + 2 * kQueryBytes);
  }
  __device__ float* delta(int stage) const {
    return lse(stage) + BLOCK_M;
  }
  __device__ char* exchange() const {
    return shared + 2 * kKeyBytes + 2 * kStageBytes;
  }

  __device__ void load_keys(const T* k, const T* v) const {
    copy_rows<D, kBlockN, kThreads>(keys(), k, Sk - first_key);
    copy_rows<D, kBlockN, kThreads>(values(), v, Sk - first_key);
  }
  /// `q`, `d_o`: the tile's first row; `valid` rows are there. `lse_of_tiles`, `deltas`: all are (rows.cuh).
  __device__ void load_queries(int stage, const T* q, const T* d_o, const float* lse_of_tiles, const float* deltas,
                               int valid) const {
    copy_rows<D, BLOCK_M, kThreads>(queries(stage), q, valid);
    copy_rows<D, BLOCK_M, kThreads>(gradients(stage), d_o, valid);
    copy_floats<BLOCK_M>(lse(stage), lse_of_tiles);
    copy_floats<BLOCK_M>(delta(stage), deltas);
  }

  /// What a tile of queries in `stage`, from `first_query` on, gives to d_k and d_v, and with ADD_QUERIES to `sums`,
  /// the tile's first row of d_q.
  __device__ void add_tile(int stage, int first_query, float* sums) {
    float x[kGroups][4];
    unsigned p[kGroups][2];
    multiply_by_rows<T, D>(x, keys(), 16 * warp, queries(stage));
    const int own_key = first_key + 16 * warp;
    const bool masked = own_key + 16 > Sk || (causal && own_key + 15 > first_query + shift);
    weigh(x, stage, masked ? own_key - first_query : 0, masked);
    pack_pairs<T>(p, x);
    multiply_by_columns<T, D>(d_v, p, gradients(stage));

    float ds[kGroups][4];
    multiply_by_rows<T, D>(ds, values(), 16 * warp, gradients(stage));
#pragma unroll
    for (int n = 0; n < kGroups; ++n) {
      const float2 of_queries = *reinterpret_cast<const float2*>(delta(stage) + 8 * n + 2 * pair);
#pragma unroll
      for (int i = 0; i < 4; ++i) ds[n][i] = x[n][i] * (ds[n][i] - (i % 2 ? of_queries.y : of_queries.x));
    }
    pack_pairs<T>(p, ds);
    if constexpr (ADD_QUERIES) {
#pragma unroll
      for (int n = 0; n < kGroups; ++n)
#pragma unroll
        for (int h = 0; h < 2; ++h)
          *reinterpret_cast<unsigned*>(exchange() + place_in_tile<2 * BLOCK_M>(16 * warp + group + 8 * h, n) +
                                       4 * pair) = p[n][h];
      __syncthreads();
    }
    multiply_by_columns<T, D>(d_k, p, queries(stage));
    if constexpr (ADD_QUERIES) {
#pragma unroll
      for (int round = 0; round < kRounds; ++round) add_queries(warp + round * WARPS, sums);
    }
  }

  __device__ void store(T* to_k, T* to_v) const {
    const int valid = Sk - first_key - 16 * warp;
    store_rows<T, D>(to_k + 16 * warp * D, d_k, scale, valid);
    store_rows<T, D>(to_v + 16 * warp * D, d_v, 1.0f, valid);
  }

 private:
  /// Scores become weights; those of pairs that do not see each other 0. `ahead`: the warp's first key, counted from
  /// the tile's first query.
  __device__ void weigh(float (&x)[kGroups][4], int stage, int ahead, bool masked) const {
#pragma unroll
    for (int n = 0; n < kGroups; ++n) {
      const float2 of_queries = *reinterpret_cast<const float2*>(lse(stage) + 8 * n + 2 * pair);
#pragma unroll
      for (int i = 0; i < 4; ++i) x[n][i] = weight_of(x[n][i], scale, i % 2 ? of_queries.y : of_queries.x);
    }
    if (!masked) return;
#pragma unroll
    for (int n = 0; n < kGroups; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int key = ahead + group + 8 * (i / 2), query = 8 * n + 2 * pair + i % 2;
        const bool sees = first_key + 16 * warp + group + 8 * (i / 2) < Sk && (!causal || key <= query + shift);
        if (!sees) x[n][i] = 0;
      }
  }

  /// Rows and columns number `share` of dS K, added to `sums`.
  __device__ void add_queries(int share, float* sums) const {
    const int lane = threadIdx.x % 32, row_tile = share / kParts, first_chunk = share % kParts * kColumns;
    float x[kColumns][4];
#pragma unroll
    for (int n = 0; n < kColumns; ++n)
#pragma unroll
      for (int i = 0; i < 4; ++i) x[n][i] = 0;
    const int of_a = place_in_tile<2 * BLOCK_M>(lane / 16 * 8 + lane % 8, 2 * row_tile + lane / 8 % 2);
    const int of_b = place_in_tile<2 * D>(lane % 16, lane / 16);
#pragma unroll
    for (int s = 0; s < WARPS; ++s) {
      unsigned left[4];
      harness::ldmatrix_x4_trans(left, exchange() + of_a + 16 * s * 2 * BLOCK_M);
#pragma unroll
      for (int n = 0; n < kColumns; n += 2) {
        unsigned right[4];
        harness::ldmatrix_x4_trans(right, keys() + (of_b ^ (16 * (first_chunk + n))) + 16 * s * 2 * D);
        harness::mma_m16n8k16<T>(x[n], left, right[0], right[1]);
        harness::mma_m16n8k16<T>(x[n + 1], left, right[2], right[3]);
      }
    }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float* const row = sums + static_cast<long long>(16 * row_tile + group + 8 * h) * D + 8 * first_chunk + 2 * pair;
#pragma unroll
      for (int n = 0; n < kColumns; ++n) {
#if __CUDA_ARCH__ >= 900
        atomicAdd(reinterpret_cast<float2*>(row + 8 * n), float2{x[n][2 * h], x[n][2 * h + 1]});
#else
        atomicAdd(row + 8 * n, x[n][2 * h]);
        atomicAdd(row + 8 * n + 1, x[n][2 * h + 1]);
#endif
      }
    }
  }
};

/// The whole walk of a block; its grid is { tiles of keys, heads of keys of all batches }. `padded`: rows of a head in
/// lse_of_tiles, deltas and sums.
template <class T, int D, int WARPS, int BLOCK_M, bool ADD_QUERIES>
__device__ inline void walk_over_queries(const T* q, const T* k, const T* v, const T* d_o, const float* lse_of_tiles,
                                         const float* deltas, float* sums, T* d_k, T* d_v, float scale, int Hq, int Hkv,
                                         int Sq, int Sk, int padded, bool causal) {
  using Block = KeyBlock<T, D, WARPS, BLOCK_M, ADD_QUERIES>;
  extern __shared__ float4 shared_memory[];
  const int first_key = blockIdx.x * Block::kBlockN, group = Hq / Hkv, kv_head = blockIdx.y;
  Block block(reinterpret_cast<char*>(shared_memory), first_key, Sq, Sk, causal, scale);

  // Tiles of queries that see any of these keys, from `first` on, of one head after the other.
  const int first = causal ? max(0, first_key - (Sk - Sq)) / BLOCK_M : 0;
  const int of_a_head = max(0, (Sq + BLOCK_M - 1) / BLOCK_M - first), tiles = of_a_head * group;
  const long long first_head = static_cast<long long>(kv_head) / Hkv * Hq + kv_head % Hkv * group;
  const auto load = [&](int tile) {
    if (tile < tiles) {
      const long long head = first_head + tile / of_a_head;
      const int row = (first + tile % of_a_head) * BLOCK_M;
      const long long at = (head * Sq + row) * D, of_tiles = head * padded + row;
      block.load_queries(tile % 2, q + at, d_o + at, lse_of_tiles + of_tiles, deltas + of_tiles, Sq - row);
    }
    harness::cp_async_commit();
  };
  const long long own = (static_cast<long long>(kv_head) * Sk + first_key) * D;
  block.load_keys(k + own, v + own);
  load(0);
  for (int tile = 0; tile < tiles; ++tile) {
    harness::cp_async_wait<0>();
    __syncthreads();  // the tile is there for all, and everybody has left the one before
    load(tile + 1);
    const int row = (first + tile % of_a_head) * BLOCK_M;
    const long long head = first_head + tile / of_a_head;
    block.add_tile(tile % 2, row, ADD_QUERIES ? sums + (head * padded + row) * D : nullptr);
  }
  harness::cp_async_wait_all();  // also where there was no tile
  block.store(d_k + own, d_v + own);
}
