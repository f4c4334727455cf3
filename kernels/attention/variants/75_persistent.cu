#include <harness/attention_specialized.cuh>

// Idea (FlashAttention 3; playbook 111): 70_warp_specialized leaves its SM idle between two blocks, while one stores
// and the next fetches its first tiles. Here as many blocks as fit stay, and each takes one query tile after the other.
// The producer does not wait for the end of a query tile: it has fetched the next one's K and V into the ring while the
// consumers still divide and store, and its queries: with QUERIES = 1 as soon as the last scores of all warpgroups are
// there, with 2 long before, so that a warpgroup that is ahead goes on alone. They store straight from registers, so no
// shared memory is waited for: four lanes exchange words until each has 16 bytes of a row (whole sectors of the L2;
// with words as the product leaves them, 512 keys took a sixth longer).
//
// Which tile is next is drawn from a counter in global memory: blocks that had short ones (causal) draw more. The
// order is by sections of HEADS heads, and in a section the longest tiles of all its heads first: K and V of a section
// stay in L2, and short tiles fill the gaps at the end. Drawing wraps to zero with the last tile, ready for the next
// launch.
//
// At D = 64 the special function unit, which does 16 exponentials a cycle, takes as long as both products. POLYNOMIAL
// quarters of the exponentials are computed on the multiply-add units instead (exp2.cuh, playbook 114).
// Cost: one atomicInc and two more barriers a query tile.
// Stops: at the tensor cores' rate under the power cap.

namespace {

/// Hands what the producer draws to the consumers, one query tile ahead of them.
struct Draws {
  harness::Mbarrier full[2], empty[2];
  int drawn[2];

  __device__ void init(int warps) {
    for (int i = 0; i < 2; ++i) {
      harness::mbarrier_init(&full[i], 1);
      harness::mbarrier_init(&empty[i], warps);
    }
    harness::mbarrier_init_fence();
  }
  /// By the producer; `turn` counts from 0.
  __device__ void put(int turn, int tile) {
    harness::mbarrier_wait(&empty[turn % 2], (turn / 2 & 1) ^ 1);
    drawn[turn % 2] = tile;
    harness::mbarrier_arrive(&full[turn % 2]);
  }
  /// By all consumers. One lane waits, reads and gives back for its warp: its arrival orders its read, and no other
  /// lane can still be waiting for a phase that has gone by.
  __device__ int take(int turn) {
    int tile = 0;
    if (threadIdx.x % 32 == 0) {
      harness::mbarrier_wait(&full[turn % 2], turn / 2 & 1);
      tile = drawn[turn % 2];
      harness::mbarrier_arrive(&empty[turn % 2]);
    }
    return __shfl_sync(0xffffffffu, tile, 0);
  }
};

/// All query tiles, in the order in which they are drawn.
struct QueryTiles {
  int block_m, of_head, side, B, Hq, Hkv, Sq, Sk;
  bool causal;

  __device__ int count() const { return of_head * B * Hq; }
  __device__ harness::AttentionTile tile(int n) const {
    const int section = n / (of_head * side), within = n - section * of_head * side;
    const int heads = min(side, B * Hq - section * side);  // the last section may have fewer
    const int position = within / heads, head = section * side + within - position * heads;
    return harness::AttentionTile(causal ? of_head - 1 - position : position, block_m, head % Hq, head / Hq, Hq, Hkv,
                                  Sq, Sk, causal);
  }
};

}  // namespace

template <class T, int D, int WARPGROUPS, int BLOCK_N, int STAGES, int SCHEDULE, int PINGPONG, int HEADS, int QUERIES,
          int POLYNOMIAL, int BLOCKS>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), BLOCKS)
    attention_persistent(const __grid_constant__ harness::TensorMap q_map,
                         const __grid_constant__ harness::TensorMap k_map,
                         const __grid_constant__ harness::TensorMap v_map, T* o, float* lse, unsigned* counter,
                         float scale, int B, int Hq, int Hkv, int Sq, int Sk, int causal) {
  using Rows = harness::WgmmaRows<T, D, BLOCK_N>;
  constexpr int kBlockM = 64 * WARPGROUPS, kQueryTile = kBlockM * Rows::kWidth;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::TileRing<STAGES> ring;
  __shared__ harness::QueryRing<QUERIES> queries;
  __shared__ Draws draws;
  T* const q_tiles = reinterpret_cast<T*>(shared_memory);
  T* const k_tiles = q_tiles + QUERIES * kQueryTile;
  T* const v_tiles = k_tiles + STAGES * Rows::kTile;
  const QueryTiles all{kBlockM, (Sq + kBlockM - 1) / kBlockM, HEADS, B, Hq, Hkv, Sq, Sk, causal != 0};

  if (threadIdx.x == 0) {
    ring.init(4 * WARPGROUPS);
    queries.init(4 * WARPGROUPS);
    draws.init(4 * WARPGROUPS);
  }
  __syncthreads();

  if (threadIdx.x < 128) {
    harness::give_registers<harness::kProducerRegisters<WARPGROUPS, BLOCKS>>();
    if (threadIdx.x != 0) return;
    const harness::Producer<T, D, BLOCK_N, STAGES> producer{ring, k_map, v_map, k_tiles, v_tiles};
    int drawn = blockIdx.x, step = 0;
    for (int turn = 0;; ++turn) {
      draws.put(turn, drawn);
      if (drawn >= all.count()) return;
      const harness::AttentionTile tile = all.tile(drawn);
      // The draw is on its way while the tiles are asked for. Every block draws until there is nothing left, so that
      // there are as many draws as tiles.
      drawn = gridDim.x + atomicInc(counter, all.count() - 1);
      const int tiles = (tile.end + BLOCK_N - 1) / BLOCK_N;
      if (tiles > 0) producer.keys(tile, step, (tiles - 1) * BLOCK_N);
      const int buffer = queries.buffer(turn);
      harness::mbarrier_wait(&queries.empty[buffer], queries.parity(turn) ^ 1);
      harness::mbarrier_arrive_expect(&queries.full[buffer], 2 * kQueryTile);
      harness::load_panels<D>(q_tiles + buffer * kQueryTile, q_map, &queries.full[buffer], kBlockM, tile.first_query,
                              tile.head, tile.batch);
      for (int i = 0; i < tiles; ++i, ++step) {
        if (i > 0) producer.keys(tile, step, (tiles - 1 - i) * BLOCK_N);
        producer.values(tile, step, (tiles - 1 - i) * BLOCK_N);
      }
    }
  }

  harness::take_registers<harness::kConsumerRegisters<WARPGROUPS, BLOCKS>>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1);
  const float factor = scale * 1.4426950408889634f;
  const harness::Consumer<T, D, WARPGROUPS, BLOCK_N, STAGES, SCHEDULE, PINGPONG, POLYNOMIAL> consumer(
      ring, warpgroup, k_tiles, v_tiles, factor);
  consumer.begin_turns();
  int step = 0;
  for (int turn = 0;; ++turn) {
    const int drawn = draws.take(turn);
    if (drawn >= all.count()) break;
    const harness::AttentionTile tile = all.tile(drawn);
    const int tiles = (tile.end + BLOCK_N - 1) / BLOCK_N;
    Rows rows(warpgroup);
    const int buffer = queries.buffer(turn);
    harness::mbarrier_wait(&queries.full[buffer], queries.parity(turn));
    consumer.walk(rows, tile, tiles, step, q_tiles + buffer * kQueryTile, &queries.empty[buffer]);
    step += tiles;
    rows.finish(lse ? lse + tile.first_of_out : nullptr, tile.queries);
    rows.store_output(o + tile.first_of_out * D, tile.queries);
  }
  consumer.end_turns();
}
