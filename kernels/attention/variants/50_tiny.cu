#include <harness/cluster.cuh>
#include <harness/convert.cuh>

#include "tiny_tile.cuh"

// Idea (playbook 116): a problem of a few microseconds is bound by latency, not by any rate. So one launch; ROWS query
// rows a block instead of a whole tile of 64 or 128; the keys split over the WARPS of a block and over the blocks of a
// CLUSTER, so that a warp has only KEYS keys and everybody works at the same time; every load issued before the first
// use; no walk over tiles where the keys fit (CLUSTER * WARPS * KEYS >= Sk), hence no rescaling.
//
// What the time is made of, about, at S = 128 on an H200 (1.98 GHz; latencies of research, not of this kernel):
//   0.5 us   the launch of an empty kernel
//   0.5 us   one trip to memory, for Q, K and V at once; and the bytes of a block through the port of its
//            multiprocessor, 64 a clock: (ROWS + 2 * Sk / CLUSTER) * D * 2 bytes, 0.3 us of it at Sk = 128 without a
//            cluster and 1 us at Sk = 512. That is what a cluster divides
//   0.1 us   D / 16 dependent products, the maximum (two shuffles), exp2, KEYS / 16 dependent products
//   0.1 us   partial results through shared memory: one barrier of the block. PUSH leaves it out: each warp sends its
//            own to the block that finishes the row, WARPS times the bytes between the blocks
//   0.3 us   with a cluster: stores into the other blocks and one barrier of the cluster. The barrier that must come
//            before (everybody has begun) is arrived at first thing and waited for here, long since complete
//   0.3 us   the stores of the output
// and some 700 instructions a warp, each executed once and fetched first: with 1,208 it took 0.44 us longer.
// Cost: each block loads K and V again for ROWS rows only: the traffic of the L2 grows with Sq / ROWS.
// Stops: where that traffic, or the products, take longer than the latencies: about S = 512 with many heads (40_mma, or
// 45_mma_split where the heads are few).

namespace {

/// The fewest quads a thread, of which every thread of a row has as many, so that THREADS suffice for ROWS rows.
__device__ constexpr int quads_of_thread(int of_row, int rows, int threads) {
  int quads = 1;
  while (of_row % quads != 0 || rows * (of_row / quads) > threads) ++quads;
  return quads;
}

/// What a thread has of ROWS rows of D columns that all THREADS of a block combine: QUADS times 4 columns of one row,
/// every kOfRow-th quad from `quad` on. Where D / 4 is no power of two, some threads may be left over, with a row >=
/// ROWS.
template <int D, int ROWS, int THREADS>
struct Portion {
  static constexpr int kQuads = quads_of_thread(D / 4, ROWS, THREADS);
  static constexpr int kOfRow = D / 4 / kQuads;  // threads
  static constexpr bool kAll = ROWS * kOfRow == THREADS;
  int row = threadIdx.x / kOfRow, quad = threadIdx.x % kOfRow;
};

/// Rounds and stores the columns of row `row` of o[q, D] that a thread has, and the row's lse[q] (null: none).
template <class T, int D, class Mine>
__device__ void store_finished(T* o, float* lse, int row, const Mine& mine,
                               const harness::Vec<float, 4> (&out)[Mine::kQuads], const TinyState& state) {
  const float sum = state.at[1];
  const float inverse = sum > 0 ? __fdividef(1.0f, sum) : 0.0f;  // a row that sees no key is 0
  unsigned* const place = reinterpret_cast<unsigned*>(o + static_cast<long long>(row) * D + 4 * mine.quad);
#pragma unroll
  for (int q = 0; q < Mine::kQuads; ++q) {
    const float* const x = out[q].at;
    harness::store(place + q * 2 * Mine::kOfRow,
                   harness::Vec<unsigned, 2>{{harness::pack<T>(x[0] * inverse, x[1] * inverse),
                                              harness::pack<T>(x[2] * inverse, x[3] * inverse)}});
  }
  if (lse && mine.quad == 0) lse[row] = sum > 0 ? state.at[0] * 0.6931471805599453f + logf(sum) : -harness::kInfinity;
}

}  // namespace

// A grid of (query tiles * CLUSTER, query heads of a key head, B * key heads): the heads without a division. WALKS:
// there are more keys than the warps of a cluster hold at a time.
template <class T, int D, int ROWS, int WARPS, int CLUSTER, int KEYS, int ASYNC, int PUSH, int WALKS>
__global__ void __launch_bounds__(32 * WARPS)
    attention_tiny(const T* q, const T* k, const T* v, T* o, float* lse, float scale, int Sq, int Sk, int causal) {
  using Tile = TinyTile<T, D, ROWS, KEYS, ASYNC != 0, WALKS != 0>;
  constexpr int kRow = kTinyRow<D>;
  constexpr int kOwnRows = ROWS / CLUSTER;  // that this block finishes
  constexpr int kSlots = PUSH ? WARPS : 1;  // partial results that each block of the cluster sends
  constexpr int kThreads = 32 * WARPS;
  extern __shared__ float4 shared_memory[];
  float* const partials = reinterpret_cast<float*>(shared_memory);  // [warp][row][D + 8] and what TinyTile stages
  float* const received = partials + WARPS * Tile::kFloats;         // [block and slot][own row][D + 8]
  TinyState* const states =                                         // [warp][row]
      reinterpret_cast<TinyState*>(received + (CLUSTER > 1 ? kSlots * ROWS * kRow : 0));
  TinyState* const received_states = states + WARPS * ROWS;      // [block and slot][own row]
  if constexpr (CLUSTER > 1) harness::cluster_arrive_relaxed();  // "I have begun"

  const int warp = harness::uniform(threadIdx.x / 32);
  const int rank = blockIdx.x % CLUSTER;
  const int first_query = blockIdx.x / CLUSTER * ROWS;
  const int queries = min(ROWS, Sq - first_query);
  const long long kv_head = blockIdx.z;
  const long long first_of_out = (kv_head * gridDim.y + blockIdx.y) * Sq + first_query;

  // Row r of the tile sees key j iff j <= r + diagonal; the last row decides where the keys end.
  const int diagonal = causal ? first_query + Sk - Sq : Sk;
  const int end = min(Sk, max(0, diagonal + queries));

  Tile tile(partials + warp * Tile::kFloats);
  tile.attend(q + first_of_out * D, k + kv_head * Sk * D, v + kv_head * Sk * D, queries, (rank * WARPS + warp) * KEYS,
              end, CLUSTER * WARPS * KEYS, diagonal, scale * 1.4426950408889634f);

  T* const out = o + first_of_out * D;
  float* const out_lse = lse ? lse + first_of_out : nullptr;
  if constexpr (WARPS == 1 && CLUSTER == 1) {
    tile.store_alone(out, out_lse, queries);
    return;
  }
  if constexpr (PUSH) {
    // Straight from the registers into the block that finishes the row.
    const auto slot = [&](int row) { return (rank * WARPS + warp) * kOwnRows + row % kOwnRows; };
    harness::cluster_wait();
    tile.put_down([&](int row) { return harness::cluster_map(received + slot(row) * kRow, row / kOwnRows); },
                  [&](int row) { return harness::cluster_map(received_states + slot(row), row / kOwnRows); });
  } else {
    tile.put_down([&](int row) { return partials + warp * Tile::kFloats + row * kRow; },
                  [&](int row) { return states + warp * ROWS + row; });
    __syncthreads();
    if constexpr (CLUSTER > 1) harness::cluster_wait();
    static_assert(ROWS * D / 4 >= kThreads, "every thread has something to combine");
    using Mine = Portion<D, ROWS, kThreads>;
    const Mine mine;
    if (Mine::kAll || mine.row < ROWS) {
      harness::Vec<float, 4> all[Mine::kQuads];
      const TinyState state = combine_partials<WARPS>(all, partials + mine.row * kRow + 4 * mine.quad, 4 * Mine::kOfRow,
                                                      Tile::kFloats, states + mine.row, ROWS);
      if constexpr (CLUSTER == 1) {
        if (mine.row < queries) store_finished<T, D>(out, out_lse, mine.row, mine, all, state);
      } else {
        const int owner = mine.row / kOwnRows, slot = rank * kOwnRows + mine.row % kOwnRows;
#pragma unroll
        for (int q = 0; q < Mine::kQuads; ++q)
          harness::store_cluster(received + slot * kRow + 4 * (mine.quad + q * Mine::kOfRow), owner, all[q]);
        if (mine.quad == 0) harness::store_cluster(received_states[slot].at, owner, state);
      }
    }
  }
  if constexpr (CLUSTER > 1) {
    harness::cluster_sync();  // everything has been received; nobody touches another block from here on
    using Mine = Portion<D, kOwnRows, kThreads>;
    const Mine mine;
    const int row = rank * kOwnRows + mine.row;
    if (mine.row >= kOwnRows || row >= queries) return;
    harness::Vec<float, 4> all[Mine::kQuads];
    const TinyState state =
        combine_partials<CLUSTER * kSlots>(all, received + mine.row * kRow + 4 * mine.quad, 4 * Mine::kOfRow,
                                           kOwnRows * kRow, received_states + mine.row, kOwnRows);
    store_finished<T, D>(out, out_lse, row, mine, all, state);
  }
}
