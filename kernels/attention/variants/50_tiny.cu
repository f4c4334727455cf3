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
// Cost: each block loads K and V again for ROWS rows only: the traffic of the L2 grows with Sq / ROWS.
// Stops: where that traffic, or the products, take longer than the latencies: about S = 512 with many heads (40_mma, or
// 45_mma_split where the heads are few).

// Row r of the block's tile of o[q, D] and lse[q].
template <class T, int D>
__device__ void store_finished(T* o, float* lse, int row, int quad, const TinyPartial& partial) {
  const float inverse = partial.sum > 0 ? 1.0f / partial.sum : 0.0f;  // a row that sees no key is 0
  const float* const x = partial.out.at;
  harness::store(reinterpret_cast<unsigned*>(o + static_cast<long long>(row) * D + 4 * quad),
                 harness::Vec<unsigned, 2>{{harness::pack<T>(x[0] * inverse, x[1] * inverse),
                                            harness::pack<T>(x[2] * inverse, x[3] * inverse)}});
  if (lse && quad == 0)
    lse[row] = partial.sum > 0 ? partial.largest * 0.6931471805599453f + logf(partial.sum) : -harness::kInfinity;
}

// A grid of (query tiles * CLUSTER, query heads of a key head, B * key heads): the heads without a division.
template <class T, int D, int ROWS, int WARPS, int CLUSTER, int KEYS, int ASYNC, int PUSH>
__global__ void __launch_bounds__(32 * WARPS)
    attention_tiny(const T* q, const T* k, const T* v, T* o, float* lse, float scale, int Sq, int Sk, int causal) {
  using Tile = TinyTile<T, D, ROWS, KEYS, ASYNC != 0>;
  constexpr int kOwnRows = ROWS / CLUSTER;  // that this block finishes
  constexpr int kQuads = D / 4;             // of a row: what a thread combines at a time
  constexpr int kSlots = PUSH ? WARPS : 1;  // partial results that each block of the cluster sends
  constexpr int kThreads = 32 * WARPS;
  extern __shared__ float4 shared_memory[];
  float* const partials = reinterpret_cast<float*>(shared_memory);  // [warp][row][D] and what TinyTile stages
  float* const maxima = partials + WARPS * Tile::kFloats;           // [warp][row]
  float* const sums = maxima + WARPS * ROWS;
  float* const received = sums + WARPS * ROWS;  // [block and slot][own row][D], maxima and sums likewise
  float* const received_maxima = received + kSlots * ROWS * D;
  float* const received_sums = received_maxima + kSlots * ROWS;
  if constexpr (CLUSTER > 1) harness::cluster_arrive_relaxed();  // "I have begun"

  const int warp = threadIdx.x / 32;
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
    const auto at = [&](float* buffer, int row, int columns) {
      const int slot = (rank * WARPS + warp) * kOwnRows + row % kOwnRows;
      return harness::cluster_map(buffer + slot * columns, row / kOwnRows);
    };
    harness::cluster_wait();
    tile.put_down([&](int row) { return at(received, row, D); }, [&](int row) { return at(received_maxima, row, 1); },
                  [&](int row) { return at(received_sums, row, 1); });
  } else {
    tile.put_down([&](int row) { return partials + warp * Tile::kFloats + row * D; },
                  [&](int row) { return maxima + warp * ROWS + row; },
                  [&](int row) { return sums + warp * ROWS + row; });
    __syncthreads();
    if constexpr (CLUSTER > 1) harness::cluster_wait();
#pragma unroll
    for (int item = threadIdx.x; item < ROWS * kQuads; item += kThreads) {
      const int row = item / kQuads, quad = item % kQuads;
      const TinyPartial partial = combine_partials<WARPS>(partials + row * D + 4 * swizzled_quad(row, quad),
                                                          Tile::kFloats, maxima + row, sums + row, ROWS);
      if constexpr (CLUSTER == 1) {
        if (row < queries) store_finished<T, D>(out, out_lse, row, quad, partial);
      } else {
        const int owner = row / kOwnRows, slot = rank * kOwnRows + row % kOwnRows;
        harness::store_cluster(received + slot * D + 4 * swizzled_quad(row, quad), owner, partial.out);
        if (quad == 0) {
          harness::store_cluster(received_maxima + slot, owner, harness::Vec<float, 1>{{partial.largest}});
          harness::store_cluster(received_sums + slot, owner, harness::Vec<float, 1>{{partial.sum}});
        }
      }
    }
  }
  if constexpr (CLUSTER > 1) {
    harness::cluster_sync();  // everything has been received; nobody touches another block from here on
#pragma unroll
    for (int item = threadIdx.x; item < kOwnRows * kQuads; item += kThreads) {
      const int own = item / kQuads, quad = item % kQuads, row = rank * kOwnRows + own;
      const TinyPartial partial =
          combine_partials<CLUSTER * kSlots>(received + own * D + 4 * swizzled_quad(row, quad), kOwnRows * D,
                                             received_maxima + own, received_sums + own, kOwnRows);
      if (row < queries) store_finished<T, D>(out, out_lse, row, quad, partial);
    }
  }
}
