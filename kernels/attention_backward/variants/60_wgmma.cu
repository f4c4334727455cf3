#include <harness/bulk_add.cuh>
#include <harness/exp2.cuh>
#include <harness/ldmatrix.cuh>
#include <harness/pack.cuh>
#include <harness/quad.cuh>
#include <harness/tma.cuh>
#include <harness/warp.cuh>
#include <harness/warpgroup.cuh>
#include <harness/wgmma.cuh>

#include "rows.cuh"

// Idea (FlashAttention 3): 40_mma on Hopper's tensor cores, with warps that copy and warps that compute. One warp keeps
// a ring of Q and dO tiles full by TMA; two warpgroups hold 64 keys each and walk over the ring.
//
// Of the five products four have the keys of a warpgroup as rows, so that P and dS stay in registers:
//   S^T = K Q^T, dP^T = V dO^T      both factors from shared memory
//   d_v += P^T dO, d_k += dS^T Q    the first factor from the registers in which it came to be, rounded and packed
// The fifth, d_q = dS K, is a sum over keys, so over both warpgroups. Each stores its dS, turned to rows of queries, as
// a panel of 64 keys; when both are there, each multiplies one 64 x 64 piece of d_q and adds it to fp32 sums in memory.
//
// wgmma runs beside the warps, and what a warpgroup waits for is always one product older than what it has asked for:
//   exponentials of S under dP; dS under d_v; the atomics of d_q under d_k. (The next tile's S under them, too, would
//   want more registers than there are.)
//
// ORDERED: the same bits every time. Blocks add to a tile of queries one after the other, those with the last keys
// first. A counter for each 64 x 64 piece of d_q says how many warps have added theirs; a warp waits for those of all
// blocks before its own. It hands on one tile later, when what it added has long arrived and the fence costs nothing.
// Nobody waits at a start: with a causal mask the last keys are seen by the last queries only, so a block begins with a
// tile to which it is the first to add; without one, blocks that follow each other are a tile apart from their first
// wave on. Blocks wait for blocks of smaller numbers alone, which have begun before.
//
// BULK: a warp leaves its 4 KB of d_q in shared memory, and a bulk copy adds them in the background, where atomics from
// registers are 16 instructions a lane whose addresses all differ. They lie in device memory in the order in which the
// lanes hold them, which finish_pieces() turns: each lane writes 16 bytes at a time, and a copy is one line.
//
// Tiles in shared memory are panels of 64 columns, as TMA writes them: 128 bytes a row, swizzled by 128 bytes.
// Cost: registers (2 D / 2 of sums, BLOCK_M / 2 of S and of dP, 32 of d_q), two buffers of dS, a meeting of both
// warpgroups for each tile. LONGEST 1: the blocks with most queries first, heads side by side.
// Stops: at exponentials and multiply-adds that no product covers, since the warpgroups keep step; and at what L2 takes
// of atomics, 32 KB for each 64 x 128 pairs.

namespace {

constexpr int kKeys = 128, kWarpgroups = 2, kPanel = 64;  // of a block; columns of a panel
constexpr int kPieceSums = 16 * 64;                       // that a warp has of a tile of d_q

template <int STAGES>
struct Ring {
  harness::Mbarrier keys, full[STAGES], empty[STAGES];
};

/// The places of everything in dynamic shared memory, bytes. Panels lie at multiples of 1024.
template <int D, int BLOCK_M, int STAGES>
struct Shared {
  static constexpr int kKeyBytes = 2 * kKeys * D, kQueryBytes = 2 * BLOCK_M * D, kScoreBytes = 2 * BLOCK_M * kKeys;
  static constexpr int kK = 0, kV = kKeyBytes, kQ = 2 * kKeyBytes, kDo = kQ + STAGES * kQueryBytes;
  static constexpr int kDs = kDo + STAGES * kQueryBytes, kLse = kDs + 2 * kScoreBytes;
  static constexpr int kDelta = kLse + 4 * STAGES * BLOCK_M, kPieces = kDelta + 4 * STAGES * BLOCK_M;
};

template <class T, int D, int BLOCK_M, int STAGES, int ORDERED, int BULK>
struct Consumer {
  using Places = Shared<D, BLOCK_M, STAGES>;
  using Scores = float[BLOCK_M / 2];  // 64 keys x BLOCK_M queries
  using Packed = unsigned[BLOCK_M / 16][4];
  static constexpr int kQueryPanel = BLOCK_M * 128, kKeyPanel = kKeys * 128;  // bytes

  char* shared;
  Ring<STAGES>& ring;
  int warpgroup, warp, group, pair;
  int own_key, shift, Sk;  // own_key: the warpgroup's first
  bool causal;
  float scale;
  unsigned* turns;  // ORDERED: a counter for each tile of queries and warpgroup
  int key_tiles;
  unsigned* owed = nullptr;  // where this warp has not handed on yet
  float d_k[D / 2], d_v[D / 2];

  __device__ void begin(int first_key) {
    warpgroup = harness::uniform(threadIdx.x / 128 - 1);
    warp = threadIdx.x / 32 % 4;
    group = threadIdx.x % 32 / 4;
    pair = threadIdx.x % 4;
    own_key = first_key + 64 * warpgroup;
#pragma unroll
    for (int i = 0; i < D / 2; ++i) d_k[i] = d_v[i] = 0;
  }

  /// x = A B^T, started: this warpgroup's rows of K or V at `a`, a tile of Q or dO at `b`.
  __device__ void multiply_rows(Scores& x, int a, int b) const {
    const unsigned long long left = harness::wgmma_descriptor(shared + a + warpgroup * 64 * 128);
    const unsigned long long right = harness::wgmma_descriptor(shared + b);
#pragma unroll
    for (int s = 0; s < D / 16; ++s)
      harness::wgmma<T, BLOCK_M>(x, harness::wgmma_advance(left, s / 4 * kKeyPanel + s % 4 * 32),
                                 harness::wgmma_advance(right, s / 4 * kQueryPanel + s % 4 * 32), s != 0);
  }
  /// sum += A B, started: `a` from registers, a tile of Q or dO at `b`, whose rows are those of B.
  __device__ void multiply_columns(float (&sum)[D / 2], const Packed& a, int b) const {
    const unsigned long long right = harness::wgmma_descriptor(shared + b, 1024, kQueryPanel);
#pragma unroll
    for (int s = 0; s < BLOCK_M / 16; ++s)
      harness::wgmma<T, D, true>(sum, a[s], harness::wgmma_advance(right, s * 2048), 1);
  }
  /// d_q = dS K, started: this warpgroup's piece of 64 x 64, from both panels of dS at `ds`. With D = 128 the pieces
  /// are columns, with BLOCK_M = 128 rows.
  __device__ void multiply_keys(float (&piece)[32], int ds) const {
    const int rows = D == 64 ? warpgroup * 64 * 128 : 0, columns = D == 64 ? 0 : warpgroup * kKeyPanel;
    const unsigned long long left = harness::wgmma_descriptor(shared + ds + rows);
    const unsigned long long right = harness::wgmma_descriptor(shared + Places::kK + columns);
#pragma unroll
    for (int s = 0; s < kKeys / 16; ++s)
      harness::wgmma<T, 64, true>(piece, harness::wgmma_advance(left, s / 4 * kQueryPanel + s % 4 * 32),
                                  harness::wgmma_advance(right, s * 2048), s != 0);
  }

  /// Scores become weights. Pairs that do not see each other have 0.
  __device__ void weigh(Scores& x, int stage, int first_query) const {
    const float* const lse = reinterpret_cast<const float*>(shared + Places::kLse) + stage * BLOCK_M + 2 * pair;
#pragma unroll
    for (int j = 0; j < BLOCK_M / 8; ++j) {
      const float2 of_queries = *reinterpret_cast<const float2*>(lse + 8 * j);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        x[4 * j + i] = harness::exp2_approx(fmaf(x[4 * j + i], scale, -(i % 2 ? of_queries.y : of_queries.x)) *
                                            1.4426950408889634f);
    }
    if (own_key + 64 <= Sk && !(causal && own_key + 63 > first_query + shift)) return;
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int key = own_key + 16 * warp + group + 8 * h;
      // The first query that sees this key, counted from this lane's first; none does of a key that is not there.
      const int first = key >= Sk ? BLOCK_M : causal ? key - shift - first_query - 2 * pair : -BLOCK_M;
#pragma unroll
      for (int j = 0; j < BLOCK_M / 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e)
          if (8 * j + e < first) x[4 * j + 2 * h + e] = 0;
    }
  }
  /// dP becomes dS.
  __device__ void differ(Scores& dp, const Scores& p, int stage) const {
    const float* const delta = reinterpret_cast<const float*>(shared + Places::kDelta) + stage * BLOCK_M + 2 * pair;
#pragma unroll
    for (int j = 0; j < BLOCK_M / 8; ++j) {
      const float2 of_queries = *reinterpret_cast<const float2*>(delta + 8 * j);
#pragma unroll
      for (int i = 0; i < 4; ++i)
        dp[4 * j + i] = p[4 * j + i] * (dp[4 * j + i] - (i % 2 ? of_queries.y : of_queries.x));
    }
  }
  __device__ static void pack(Packed& packed, const Scores& x) {
#pragma unroll
    for (int s = 0; s < BLOCK_M / 16; ++s)
#pragma unroll
      for (int i = 0; i < 4; ++i) packed[s][i] = harness::pack<T>(x[8 * s + 2 * i], x[8 * s + 2 * i + 1]);
  }
  /// dS^T to this warpgroup's panel of dS: stmatrix turns matrices of 8 keys x 8 queries on the way.
  __device__ void exchange(const Packed& ds, int to) const {
    const int lane = threadIdx.x % 32, chunk = 2 * warp + lane / 8 % 2;
    char* const panel = shared + to + warpgroup * kQueryPanel;
#pragma unroll
    for (int s = 0; s < BLOCK_M / 16; ++s) {
      const int query = 16 * s + lane / 16 * 8 + lane % 8;
      harness::stmatrix_x4_trans(panel + query * 128 + ((chunk ^ (query % 8)) * 16), ds[s]);
    }
  }
  /// `sums`: the tile's first row of d_q.
  __device__ void add(const float (&piece)[32], float* sums) const {
    const int row = (D == 64 ? 64 * warpgroup : 0) + 16 * warp + group,
              column = (D == 64 ? 0 : 64 * warpgroup) + 2 * pair;
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int j = 0; j < 8; ++j) {
        float* const to = sums + (row + 8 * h) * D + column + 8 * j;
#if __CUDA_ARCH__ >= 900
        atomicAdd(reinterpret_cast<float2*>(to), float2{piece[4 * j + 2 * h], piece[4 * j + 2 * h + 1]});
#else
        atomicAdd(to, piece[4 * j + 2 * h]);
        atomicAdd(to + 1, piece[4 * j + 2 * h + 1]);
#endif
      }
  }

  /// The same by a bulk copy; `sums`: the tile's.
  __device__ void add_in_bulk(const float (&piece)[32], float* sums) const {
    const int lane = threadIdx.x % 32, of_tile = 4 * warpgroup + warp;
    float* const own = reinterpret_cast<float*>(shared + Places::kPieces) + of_tile * kPieceSums;
    if (lane == 0) harness::bulk_wait_read<0>();  // of the tile before
    __syncwarp();
#pragma unroll
    for (int j = 0; j < 8; ++j)
      reinterpret_cast<float4*>(own)[32 * j + lane] = {piece[4 * j], piece[4 * j + 1], piece[4 * j + 2],
                                                       piece[4 * j + 3]};
    harness::async_proxy_fence();
    __syncwarp();
    if (lane == 0) {
      harness::bulk_add(sums + of_tile * kPieceSums, own, 4 * kPieceSums);
      harness::bulk_commit();
    }
    __syncwarp();
  }

  /// By a warp. Blocks of more keys add before; with a causal mask only those that any query of the tile sees.
  __device__ void wait_for_turn(unsigned* turn, int first_query) const {
    const int seen = (first_query + BLOCK_M - 1 + shift) / kKeys;
    const int last = causal ? min(key_tiles - 1, seen) : key_tiles - 1;
    const unsigned before = 4 * (last - own_key / kKeys);
    if (threadIdx.x % 32 == 0) {
      while (*static_cast<volatile unsigned*>(turn) < before) {
      }
      atomicAdd(turn, 0u);
      __threadfence();
    }
    __syncwarp();
  }
  __device__ void hand_on() {
    if (owed == nullptr) return;
    __threadfence();
    __syncwarp();
    if (threadIdx.x % 32 == 0) atomicAdd(owed, 1u);
    owed = nullptr;
  }

  __device__ void start_scores(Scores& s, int tile) const {
    const int stage = tile % STAGES;
    harness::mbarrier_wait(&ring.full[stage], tile / STAGES & 1);
    harness::wgmma_fence();
    multiply_rows(s, Places::kK, Places::kQ + stage * Places::kQueryBytes);
    harness::wgmma_commit();
  }

  /// `tile`: of the walk; `row`: its first query among those of all heads.
  __device__ void step(int tile, int first_query, long long row, float* sums) {
    const int stage = tile % STAGES, ds_at = Places::kDs + tile % 2 * Places::kScoreBytes;
    const int q_at = Places::kQ + stage * Places::kQueryBytes, do_at = Places::kDo + stage * Places::kQueryBytes;
    Scores s, dp;
    Packed packed;
    float piece[32];
    start_scores(s, tile);
    harness::wgmma_fence();
    multiply_rows(dp, Places::kV, do_at);
    harness::wgmma_commit();
    harness::wgmma_wait<1>();
    harness::wgmma_pin(s);
    weigh(s, stage, first_query);
    pack(packed, s);
    harness::wgmma_fence();
    multiply_columns(d_v, packed, do_at);
    harness::wgmma_commit();
    harness::wgmma_wait<1>();
    harness::wgmma_pin(dp);
    differ(dp, s, stage);
    Packed packed_ds;
    pack(packed_ds, dp);
    exchange(packed_ds, ds_at);
    harness::async_proxy_fence();
    harness::named_barrier_sync<1>(128 * kWarpgroups);
    harness::wgmma_fence();
    multiply_keys(piece, ds_at);
    harness::wgmma_commit();
    multiply_columns(d_k, packed_ds, q_at);
    harness::wgmma_commit();
    harness::wgmma_wait<1>();
    harness::wgmma_pin(piece);
    if constexpr (ORDERED != 0) {
      hand_on();
      unsigned* const turn = turns + row / BLOCK_M * kWarpgroups + warpgroup;
      wait_for_turn(turn, first_query);
      owed = turn;
    }
    if constexpr (BULK != 0) add_in_bulk(piece, sums + row * D);
    else add(piece, sums + row * D);
    harness::wgmma_wait<0>();
    // Each lane for itself: it has read its own lse and delta of the stage, by ordinary loads, and what a neighbour has
    // read it does not know. (Where only wgmma reads a stage, one lane may speak for a warp.)
    harness::mbarrier_arrive(&ring.empty[stage]);
  }

  /// The warpgroup's rows of a sum, times `factor`, to the block's rows at `to`: the four lanes that share a row
  /// exchange what they hold, so that each stores 16 bytes.
  __device__ void store(T* to, const float (&sum)[D / 2], float factor, int first_key) const {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int key = own_key + 16 * warp + group + 8 * h;
      T* const row = to + static_cast<long long>(key - first_key) * D + 8 * pair;
#pragma unroll
      for (int v = 0; v < D / 32; ++v) {
        unsigned word[4];
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          const float* const two = &sum[4 * (4 * v + n) + 2 * h];
          word[n] = harness::pack<T>(factor * two[0], factor * two[1]);
        }
        harness::transpose_quad(word);
        if (key < Sk) *reinterpret_cast<uint4*>(row + 32 * v) = {word[0], word[1], word[2], word[3]};
      }
    }
  }
};

/// `rows` x D elements from row `row` of a head on: panel after panel.
template <int D>
__device__ inline void load_panels(char* to, const harness::TensorMap& map, harness::Mbarrier* barrier, int rows,
                                   int row, int head, int batch) {
#pragma unroll
  for (int panel = 0; panel < D / kPanel; ++panel)
    harness::tma_load(to + panel * rows * 128, map, barrier, panel * kPanel, row, head, batch);
}

}  // namespace

template <class T, int D, int BLOCK_M, int STAGES, int LONGEST, int ORDERED, int BULK>
__global__ void __launch_bounds__(128 * (kWarpgroups + 1), 1)
    backward(const __grid_constant__ harness::TensorMap q_map, const __grid_constant__ harness::TensorMap k_map,
             const __grid_constant__ harness::TensorMap v_map, const __grid_constant__ harness::TensorMap do_map,
             const float* lse_of_tiles, const float* deltas, float* sums, unsigned* turns, T* d_k, T* d_v, float scale,
             int Hq, int Hkv, int Sq, int Sk, int padded, int causal) {
  using Places = Shared<D, BLOCK_M, STAGES>;
  extern __shared__ __align__(1024) char shared[];
  __shared__ Ring<STAGES> ring;
  const int kv_head = LONGEST ? blockIdx.x : blockIdx.y, batch = kv_head / Hkv, group = Hq / Hkv;
  const int key_tiles = (Sk + kKeys - 1) / kKeys, number = LONGEST ? blockIdx.y : blockIdx.x;
  const int first_key = (ORDERED ? key_tiles - 1 - number : number) * kKeys;
  const int first = causal ? max(0, first_key - (Sk - Sq)) / BLOCK_M : 0;  // tile of queries that sees any of the keys
  const int of_a_head = max(0, (Sq + BLOCK_M - 1) / BLOCK_M - first), tiles = of_a_head * group;
  const int first_head = kv_head % Hkv * group;  // of its batch
  const auto head_of = [&](int tile) { return first_head + tile / of_a_head; };
  const auto query_of = [&](int tile) { return (first + tile % of_a_head) * BLOCK_M; };
  const auto row_of = [&](int tile) {  // of lse_of_tiles, deltas and sums
    return (static_cast<long long>(batch) * Hq + head_of(tile)) * padded + query_of(tile);
  };

  if (threadIdx.x == 0) {
    harness::mbarrier_init(&ring.keys, 1);
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&ring.full[s], 1);
      harness::mbarrier_init(&ring.empty[s], 128 * kWarpgroups);
    }
    harness::mbarrier_init_fence();
  }
  __syncthreads();

  if (threadIdx.x < 128) {
    harness::give_registers<24>();
    if (threadIdx.x != 0 || tiles == 0) return;
    harness::mbarrier_arrive_expect(&ring.keys, 2 * Places::kKeyBytes);
    load_panels<D>(shared + Places::kK, k_map, &ring.keys, kKeys, first_key, kv_head % Hkv, batch);
    load_panels<D>(shared + Places::kV, v_map, &ring.keys, kKeys, first_key, kv_head % Hkv, batch);
    for (int tile = 0; tile < tiles; ++tile) {
      const int stage = tile % STAGES;
      harness::mbarrier_wait(&ring.empty[stage], (tile / STAGES & 1) ^ 1);
      harness::mbarrier_arrive_expect(&ring.full[stage], 2 * Places::kQueryBytes + 8 * BLOCK_M);
      load_panels<D>(shared + Places::kQ + stage * Places::kQueryBytes, q_map, &ring.full[stage], BLOCK_M,
                     query_of(tile), head_of(tile), batch);
      load_panels<D>(shared + Places::kDo + stage * Places::kQueryBytes, do_map, &ring.full[stage], BLOCK_M,
                     query_of(tile), head_of(tile), batch);
      harness::bulk_load(shared + Places::kLse + 4 * stage * BLOCK_M, lse_of_tiles + row_of(tile), 4 * BLOCK_M,
                         &ring.full[stage]);
      harness::bulk_load(shared + Places::kDelta + 4 * stage * BLOCK_M, deltas + row_of(tile), 4 * BLOCK_M,
                         &ring.full[stage]);
    }
    return;
  }

  harness::take_registers<240>();
  Consumer<T, D, BLOCK_M, STAGES, ORDERED, BULK> consumer{
      shared, ring, 0, 0, 0, 0, 0, Sk - Sq, Sk, causal != 0, scale, turns, key_tiles, nullptr, {}, {}};
  consumer.begin(first_key);
  if (tiles > 0) {
    harness::mbarrier_wait(&ring.keys, 0);
    for (int tile = 0; tile < tiles; ++tile) consumer.step(tile, query_of(tile), row_of(tile), sums);
    if constexpr (ORDERED != 0) consumer.hand_on();
    if (BULK != 0 && threadIdx.x % 32 == 0) harness::bulk_wait_read<0>();
  }
  const long long own = (static_cast<long long>(kv_head) * Sk + first_key) * D;
  consumer.store(d_k + own, consumer.d_k, scale, first_key);
  consumer.store(d_v + own, consumer.d_v, 1.0f, first_key);
}

/// After, with BULK: d_q from the pieces of warps, of which a warp here takes half a one: 16 rows of 32 columns.
template <class T, int D, int BLOCK_M>
__global__ void __launch_bounds__(256) finish_pieces(const float4* sums, T* d_q, float scale, int Sq, int padded) {
  const int lane = threadIdx.x % 32, half = threadIdx.x / 32 % 2, tiles = padded / BLOCK_M;
  const int piece = blockIdx.x * 4 + threadIdx.x / 64, tile = piece / 8, of_tile = piece % 8;
  if (tile >= tiles) return;
  const int row = tile * BLOCK_M + (D == 64 ? of_tile / 4 * 64 : 0) + 16 * (of_tile % 4) + lane / 4;
  const int column = (D == 64 ? 0 : of_tile / 4 * 64) + 32 * half + 8 * (lane % 4);
  const float4* const from =
      sums + ((static_cast<long long>(blockIdx.y) * tiles + tile) * 8 + of_tile) * (kPieceSums / 4) + 128 * half + lane;
  unsigned word[2][4];
#pragma unroll
  for (int n = 0; n < 4; ++n) {
    const float4 sum = from[32 * n];
    word[0][n] = harness::pack<T>(scale * sum.x, scale * sum.y);
    word[1][n] = harness::pack<T>(scale * sum.z, scale * sum.w);
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    harness::transpose_quad(word[h]);
    if (row + 8 * h < Sq)
      *reinterpret_cast<uint4*>(d_q + (static_cast<long long>(blockIdx.y) * Sq + row + 8 * h) * D + column) = {
          word[h][0], word[h][1], word[h][2], word[h][3]};
  }
}
