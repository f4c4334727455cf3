#include "loaded_tile.cuh"

// Idea (FlashAttention 3; playbook 107 to 109): attention's 70_warp_specialized on packed sequences. A block takes a
// tile of queries of one sequence, found from the list of starts (sequence_tile.cuh). Its producer warpgroup brings
// tiles of K and V by TMA, from the last key that the rows see to the first: the walk ends at the window. The other
// warpgroups multiply by wgmma, 64 rows each. Masks touch only the tiles at the diagonal and at the window's edge.
//   The tensors are one line of rows, so a tile at a sequence's edge brings rows of its neighbour. Keys of it are
//   masked, its values are multiplied by 0, results of its queries are not stored: rows leave from registers.
//   SCHEDULE, PINGPONG: as in harness/attention_specialized.cuh.
//   LONGEST 1: heads are the fastest index of the grid. 0: the tiles of one head are neighbours, which share K and V in
//   L2. Blocks go from the last tile to the first in both.
//   PACK 1 (playbook 113): query heads that share a key head are neighbouring rows of the tile, which one box of TMA
//   brings as they lie. A tile has fewer queries, and all its rows read the same keys: a decoder's step fills as many
//   rows as a group has heads, and reads its keys once.
// Soft cap: tanh from one exponential and one reciprocal, before the mask. Sink: one more term in the sum at the end.
// Cost: up to a block a sequence has no rows and ends at once. With a window a warpgroup also walks over the tiles that
// only its neighbour's rows see.
// Stops: at the tensor cores' rate; with a soft cap at two exponentials and a reciprocal a pair; where one sequence is
// longer than all others, at its last blocks.
template <class T, int D, int HQ, int HKV, int CAP, int WARPGROUPS, int BLOCK_N, int STAGES, int SCHEDULE, int PINGPONG,
          int LONGEST, int PACK>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    attention_specialized(const __grid_constant__ harness::TensorMap q_map,
                          const __grid_constant__ harness::TensorMap k_map,
                          const __grid_constant__ harness::TensorMap v_map, const int* cu_q, const int* cu_k,
                          const float* sinks, T* o, float scale, float cap, int B, int window, int causal) {
  using Rows = harness::WgmmaRows<T, D, BLOCK_N>;
  constexpr int kBlockM = 64 * WARPGROUPS, kHeads = PACK ? HQ / HKV : 1;  // rows of a tile, heads of them
  static_assert(kBlockM % kHeads == 0, "a tile has whole groups of heads");
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::TileRing<STAGES> ring;
  __shared__ harness::QueryRing<1> queries;
  T* const q_tile = reinterpret_cast<T*>(shared_memory);
  T* const k_tiles = q_tile + kBlockM * Rows::kWidth;
  T* const v_tiles = k_tiles + STAGES * Rows::kTile;

  const int first_head = (LONGEST ? blockIdx.x : blockIdx.y) * kHeads;
  const int position = LONGEST ? blockIdx.y : blockIdx.x, blocks = LONGEST ? gridDim.y : gridDim.x;
  const Logits<(CAP > 0)> logits(scale, cap);
  const LoadedTile<(CAP > 0), kHeads> tile{
      SequenceTile(blocks - 1 - position, kBlockM / kHeads, cu_q, cu_k, B, Sight{window, causal != 0}),
      first_head / (HQ / HKV), logits};
  if (tile.work.queries <= 0) return;
  const int tiles = max(0, tile.work.end - tile.work.begin + BLOCK_N - 1) / BLOCK_N;

  if (threadIdx.x == 0) {
    ring.init(4 * WARPGROUPS);
    queries.init(4 * WARPGROUPS);
  }
  __syncthreads();

  if (threadIdx.x < 128) {
    harness::give_registers<harness::kProducerRegisters<WARPGROUPS>>();
    if (threadIdx.x != 0) return;
    harness::mbarrier_arrive_expect(queries.full, 2 * kBlockM * Rows::kWidth);
    load_rows<D>(q_tile, q_map, queries.full, kBlockM, tile.work.first_query, first_head);
    const harness::Producer<T, D, BLOCK_N, STAGES> producer{ring, k_map, v_map, k_tiles, v_tiles};
    for (int step = 0; step < tiles; ++step) {
      const int first_key = tile.first_of_keys() + (tiles - 1 - step) * BLOCK_N;
      producer.keys(tile, step, first_key);
      producer.values(tile, step, first_key);
    }
    return;
  }

  harness::take_registers<harness::kConsumerRegisters<WARPGROUPS>>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1);
  const harness::Consumer<T, D, WARPGROUPS, BLOCK_N, STAGES, SCHEDULE, PINGPONG> consumer(ring, warpgroup, k_tiles,
                                                                                          v_tiles, logits.factor);
  Rows rows(warpgroup);
  consumer.begin_turns();
  harness::mbarrier_wait(queries.full, 0);
  consumer.walk(rows, tile, tiles, 0, q_tile, queries.empty);
  consumer.end_turns();

  if (sinks) {
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const int row = rows.first_row + rows.group + 8 * h;
      rows.add_sink(h, sinks[first_head + row % kHeads] * kLog2E);
    }
  }
  rows.finish(nullptr, tile.rows());
  T* const own_output = o + (static_cast<long long>(tile.work.first_query) * HQ + first_head) * D;
  rows.store_rows(tile.rows(), [own_output](int row) {
    return own_output + (static_cast<long long>(row / kHeads) * HQ + row % kHeads) * D;
  });
}
