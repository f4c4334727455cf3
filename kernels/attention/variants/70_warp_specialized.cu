#include <harness/attention_specialized.cuh>

// Idea (FlashAttention 3; playbook 107 to 109): warps that copy and warps that compute. One warpgroup, the producer,
// keeps a ring of K and V tiles full and gives its registers away; the others, the consumers, take them and own 64
// query rows each. Nobody meets at a __syncthreads: a tile is handed over through its mbarrier `full` and given back
// through `empty`, one arrival of each consumer warp. SCHEDULE and PINGPONG (attention_specialized.cuh) say what a
// consumer does while its tensor cores, or those of its neighbours, are busy.
//   LONGEST 1 (causal): heads are the fastest index of the grid and the longest query tiles come first, so that the
//     short ones fill the gaps at the end. 0: the tiles of one head are neighbours, which share K and V in L2.
// Cost: a producer warpgroup that computes nothing; shared memory as in 60_wgmma.
// Stops: at the tensor cores' rate under the power cap, and at their rate with the exponentials of D = 64, for which
// 16 a cycle are as slow as the products. Between two blocks an SM rests (75_persistent).

namespace {

/// All threads of one consumer warpgroup meet. Barriers 1 to 3 are those of the turns.
__device__ inline void meet(int warpgroup) {
  if (warpgroup == 0) harness::named_barrier_sync<4>(128);
  else if (warpgroup == 1) harness::named_barrier_sync<5>(128);
  else harness::named_barrier_sync<6>(128);
}

}  // namespace

template <class T, int D, int WARPGROUPS, int BLOCK_N, int STAGES, int SCHEDULE, int PINGPONG, int LONGEST>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    attention_specialized(const __grid_constant__ harness::TensorMap q_map,
                          const __grid_constant__ harness::TensorMap k_map,
                          const __grid_constant__ harness::TensorMap v_map,
                          const __grid_constant__ harness::TensorMap o_map, float* lse, float scale, int Hq, int Hkv,
                          int Sq, int Sk, int causal) {
  using Rows = harness::WgmmaRows<T, D, BLOCK_N>;
  constexpr int kBlockM = 64 * WARPGROUPS;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::TileRing<STAGES> ring;
  __shared__ harness::QueryRing<1> queries;
  T* const q_tile = reinterpret_cast<T*>(shared_memory);
  T* const k_tiles = q_tile + kBlockM * Rows::kWidth;
  T* const v_tiles = k_tiles + STAGES * Rows::kTile;

  const int position = LONGEST ? blockIdx.z : blockIdx.x;
  const int blocks = LONGEST ? gridDim.z : gridDim.x;
  const int head = LONGEST ? blockIdx.x : blockIdx.y, batch = LONGEST ? blockIdx.y : blockIdx.z;
  const harness::AttentionTile tile(causal ? blocks - 1 - position : position, kBlockM, head, batch, Hq, Hkv, Sq, Sk,
                                    causal);
  const int tiles = (tile.end + BLOCK_N - 1) / BLOCK_N;

  if (threadIdx.x == 0) {
    ring.init(4 * WARPGROUPS);
    queries.init(4 * WARPGROUPS);
  }
  __syncthreads();

  if (threadIdx.x < 128) {
    harness::give_registers<harness::kProducerRegisters<WARPGROUPS>>();
    if (threadIdx.x != 0) return;
    harness::mbarrier_arrive_expect(queries.full, 2 * kBlockM * Rows::kWidth);
    harness::load_panels<D>(q_tile, q_map, queries.full, kBlockM, tile.first_query, tile.head, tile.batch);
    const harness::Producer<T, D, BLOCK_N, STAGES> producer{ring, k_map, v_map, k_tiles, v_tiles};
    for (int step = 0; step < tiles; ++step) {
      producer.keys(tile, step, (tiles - 1 - step) * BLOCK_N);
      producer.values(tile, step, (tiles - 1 - step) * BLOCK_N);
    }
    return;
  }

  harness::take_registers<harness::kConsumerRegisters<WARPGROUPS>>();
  const int warpgroup = harness::uniform(threadIdx.x / 128 - 1);
  const float factor = scale * 1.4426950408889634f;
  const harness::Consumer<T, D, WARPGROUPS, BLOCK_N, STAGES, SCHEDULE, PINGPONG> consumer(ring, warpgroup, k_tiles,
                                                                                          v_tiles, factor);
  Rows rows(warpgroup);
  consumer.begin_turns();
  harness::mbarrier_wait(queries.full, 0);
  consumer.walk(rows, tile, tiles, 0, q_tile, queries.empty);
  consumer.end_turns();

  // Each warpgroup stores its rows through the memory of its queries, once none of its warps multiplies them any more.
  rows.finish(lse ? lse + tile.first_of_out : nullptr, tile.queries);
  T* const own_output = q_tile + warpgroup * 64 * Rows::kPanelRow;
  meet(warpgroup);
  rows.stage_output(own_output, kBlockM);
  harness::async_proxy_fence();
  meet(warpgroup);
  if (threadIdx.x % 128 == 0 && warpgroup * 64 < tile.queries)
    harness::store_panels<T, D>(o_map, own_output, kBlockM, tile.first_query + warpgroup * 64, tile.head, tile.batch);
}
