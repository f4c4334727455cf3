#include "wgmma_rows.cuh"

// Idea (FlashAttention 3; playbook 107 to 110): warps that copy and warps that compute. One warpgroup, the producer,
// keeps a ring of K and V tiles full and gives its registers away; the others, the consumers, take them and own 64
// query rows each. Nobody meets at a __syncthreads: a tile is handed over through its mbarrier `full` and given back
// through `empty`, one arrival of each consumer warp.
//   SCHEDULE 0: a tile's scores, its exponentials, its second product, one after the other. Two warpgroups drift apart
//     by themselves, and one multiplies while the other exponentiates.
//   SCHEDULE 1, overlapped: the scores of the next tile are multiplied while the exponentials of this one are computed,
//     together with the second product of this one. Costs BLOCK_N / 2 more registers.
//   PINGPONG 1: named barriers give the tensor cores to one consumer warpgroup after the other, so that their
//     exponentials come at different times.
//   LONGEST 1 (causal): heads are the fastest index of the grid and the longest query tiles come first, so that the
//     short ones fill the gaps at the end. 0: the tiles of one head are neighbours, which share K and V in L2.
// Cost: a producer warpgroup that computes nothing; shared memory as in 60_wgmma.
// Stops: at the tensor cores' rate under the power cap, and at their rate with the exponentials of D = 64, for which
// 16 a cycle are as slow as the products.

namespace {

// Named barriers: 0 is __syncthreads, then one for the turn of each consumer warpgroup.
template <int WARPGROUPS>
struct Turns {
  static constexpr unsigned kThreads = 256;  // those of who waits and who hands on

  __device__ static void wait(int warpgroup) {
    if (warpgroup == 0) harness::named_barrier_sync<1>(kThreads);
    else if (warpgroup == 1) harness::named_barrier_sync<2>(kThreads);
    else harness::named_barrier_sync<3>(kThreads);
  }
  __device__ static void hand_on(int warpgroup) {
    const int next = warpgroup + 1 == WARPGROUPS ? 0 : warpgroup + 1;
    if (next == 0) harness::named_barrier_arrive<1>(kThreads);
    else if (next == 1) harness::named_barrier_arrive<2>(kThreads);
    else harness::named_barrier_arrive<3>(kThreads);
  }
};

/// All threads of one consumer warpgroup meet.
__device__ inline void meet(int warpgroup) {
  if (warpgroup == 0) harness::named_barrier_sync<4>(128);
  else if (warpgroup == 1) harness::named_barrier_sync<5>(128);
  else harness::named_barrier_sync<6>(128);
}

template <int WARPGROUPS>
constexpr int kConsumerRegisters = WARPGROUPS == 1   ? 256
                                   : WARPGROUPS == 2 ? 240
                                                     : 160;
template <int WARPGROUPS>
constexpr int kProducerRegisters = WARPGROUPS == 1   ? 56
                                   : WARPGROUPS == 2 ? 24
                                                     : 32;

}  // namespace

template <class T, int D, int WARPGROUPS, int BLOCK_N, int STAGES, int SCHEDULE, int PINGPONG, int LONGEST>
__global__ void __launch_bounds__(128 * (WARPGROUPS + 1), 1)
    attention_specialized(const __grid_constant__ harness::TensorMap q_map,
                          const __grid_constant__ harness::TensorMap k_map,
                          const __grid_constant__ harness::TensorMap v_map,
                          const __grid_constant__ harness::TensorMap o_map, float* lse, float scale, int Hq, int Hkv,
                          int Sq, int Sk, int causal) {
  using Rows = WgmmaRows<T, D, BLOCK_N>;
  constexpr int kBlockM = 64 * WARPGROUPS;
  constexpr bool kTurns = PINGPONG && WARPGROUPS > 1;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier queries_here, keys_full[STAGES], keys_empty[STAGES], values_full[STAGES],
      values_empty[STAGES];
  T* const q_tile = reinterpret_cast<T*>(shared_memory);
  T* const k_tiles = q_tile + kBlockM * D;
  T* const v_tiles = k_tiles + STAGES * Rows::kTile;

  const int position = LONGEST ? blockIdx.z : blockIdx.x;
  const int blocks = LONGEST ? gridDim.z : gridDim.x;
  const int head = LONGEST ? blockIdx.x : blockIdx.y, batch = LONGEST ? blockIdx.y : blockIdx.z;
  const AttentionTile tile(causal ? blocks - 1 - position : position, kBlockM, head, batch, Hq, Hkv, Sq, Sk, causal);
  const int tiles = (tile.end + BLOCK_N - 1) / BLOCK_N;

  if (threadIdx.x == 0) {
    harness::mbarrier_init(&queries_here, 1);
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&keys_full[s], 1);
      harness::mbarrier_init(&values_full[s], 1);
      harness::mbarrier_init(&keys_empty[s], 4 * WARPGROUPS);
      harness::mbarrier_init(&values_empty[s], 4 * WARPGROUPS);
    }
    harness::mbarrier_init_fence();
  }
  __syncthreads();

  // Tile `step` of the walk, which goes from the last keys to the first: masked tiles come first.
  if (threadIdx.x < 128) {
    harness::give_registers<kProducerRegisters<WARPGROUPS>>();
    if (threadIdx.x != 0) return;
    harness::mbarrier_arrive_expect(&queries_here, 2 * kBlockM * D);
    load_panels<D>(q_tile, q_map, &queries_here, kBlockM, tile.first_query, tile.head, tile.batch);
    for (int step = 0; step < tiles; ++step) {
      const int stage = step % STAGES, was = (step / STAGES & 1) ^ 1, first_key = (tiles - 1 - step) * BLOCK_N;
      harness::mbarrier_wait(&keys_empty[stage], was);
      harness::mbarrier_arrive_expect(&keys_full[stage], Rows::kTileBytes);
      load_panels<D>(k_tiles + stage * Rows::kTile, k_map, &keys_full[stage], BLOCK_N, first_key, tile.kv_head,
                     tile.batch);
      harness::mbarrier_wait(&values_empty[stage], was);
      harness::mbarrier_arrive_expect(&values_full[stage], Rows::kTileBytes);
      load_panels<D>(v_tiles + stage * Rows::kTile, v_map, &values_full[stage], BLOCK_N, first_key, tile.kv_head,
                     tile.batch);
    }
    return;
  }

  harness::take_registers<kConsumerRegisters<WARPGROUPS>>();
  const int warpgroup = threadIdx.x / 128 - 1;
  const bool speaks = threadIdx.x % 32 == 0;  // for its warp
  const float factor = scale * 1.4426950408889634f;
  T* const own_queries = q_tile + warpgroup * 64 * Rows::kPanelRow;
  Rows rows(warpgroup);
  typename Rows::Scores score;
  typename Rows::Packed p;
  float rescale[2];

  const auto start_scores = [&](int step) {
    harness::mbarrier_wait(&keys_full[step % STAGES], step / STAGES & 1);
    harness::wgmma_fence();
    Rows::multiply_keys(score, own_queries, kBlockM, k_tiles + step % STAGES * Rows::kTile);
    harness::wgmma_commit();
  };
  const auto start_values = [&](int step) {
    harness::mbarrier_wait(&values_full[step % STAGES], step / STAGES & 1);
    harness::wgmma_fence();
    rows.multiply_values(p, v_tiles + step % STAGES * Rows::kTile);
    harness::wgmma_commit();
  };
  const auto exponentiate = [&](int step) {
    const int first_key = (tiles - 1 - step) * BLOCK_N;
    if (first_key + BLOCK_N > tile.end || first_key + BLOCK_N - 1 > rows.first_row + tile.diagonal)
      rows.mask(score, first_key, tile.end, tile.diagonal);
    rows.exponentiate(score, rescale, factor);
  };
  const auto give_back = [&](harness::Mbarrier* empty) {
    if (speaks) harness::mbarrier_arrive(empty);
  };

  if (kTurns && warpgroup == WARPGROUPS - 1) Turns<WARPGROUPS>::hand_on(warpgroup);  // the first turn is the first's
  harness::mbarrier_wait(&queries_here, 0);
  if constexpr (SCHEDULE == 0) {
    for (int step = 0; step < tiles; ++step) {
      if constexpr (kTurns) Turns<WARPGROUPS>::wait(warpgroup);
      start_scores(step);
      harness::wgmma_wait<0>();
      give_back(&keys_empty[step % STAGES]);
      if constexpr (kTurns) Turns<WARPGROUPS>::hand_on(warpgroup);
      exponentiate(step);
      rows.rescale_output(rescale);
      Rows::pack(p, score);
      start_values(step);
      harness::wgmma_wait<0>();
      give_back(&values_empty[step % STAGES]);
    }
  } else if (tiles > 0) {
    start_scores(0);
    harness::wgmma_wait<0>();
    give_back(&keys_empty[0]);
    exponentiate(0);
    Rows::pack(p, score);
    for (int step = 1; step < tiles; ++step) {
      if constexpr (kTurns) Turns<WARPGROUPS>::wait(warpgroup);
      start_scores(step);
      start_values(step - 1);
      if constexpr (kTurns) Turns<WARPGROUPS>::hand_on(warpgroup);
      harness::wgmma_wait<1>();
      give_back(&keys_empty[step % STAGES]);
      exponentiate(step);
      harness::wgmma_wait<0>();
      give_back(&values_empty[(step - 1) % STAGES]);
      rows.rescale_output(rescale);
      Rows::pack(p, score);
    }
    start_values(tiles - 1);
    harness::wgmma_wait<0>();
  }
  // The last turn was handed to the first warpgroup, which takes it, so that no barrier is left half full.
  if (kTurns && warpgroup == 0) Turns<WARPGROUPS>::wait(warpgroup);

  // Each warpgroup stores its rows through the memory of its queries, once none of its warps multiplies them any more.
  rows.finish(lse ? lse + tile.first_of_out : nullptr, tile.queries, factor);
  meet(warpgroup);
  rows.stage_output(own_queries, kBlockM);
  harness::async_proxy_fence();
  meet(warpgroup);
  if (threadIdx.x % 128 == 0 && warpgroup * 64 < tile.queries) {
    for (int panel = 0; panel < Rows::kPanels; ++panel)
      harness::tma_store(o_map, own_queries + panel * kBlockM * Rows::kPanelRow, panel * 64,
                         tile.first_query + warpgroup * 64, tile.head, tile.batch);
    harness::bulk_commit();
    harness::bulk_wait_read<0>();
  }
}
