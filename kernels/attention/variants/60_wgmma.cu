#include <harness/attention_wgmma.cuh>

// Idea (playbook 106): wgmma multiplies 64 rows at a time straight out of shared memory, and TMA fills that memory
// without a single address computed by the threads that multiply. All warps do the same here: thread 0 also asks for
// the next tiles. The ring holds STAGES pairs of K and V tiles; an mbarrier of each says when its bytes have come.
// Cost: shared memory of (64 * WARPGROUPS + 2 * STAGES * BLOCK_N) * D elements; a lane holds (D + BLOCK_N) / 2
// accumulators and BLOCK_N / 4 registers of packed scores. Two __syncthreads a tile.
// Stops: a warpgroup's tensor cores rest while it exponentiates, and everybody waits for the slowest at each barrier
// (70_warp_specialized does away with both).
template <class T, int D, int WARPGROUPS, int BLOCK_N, int STAGES>
__global__ void __launch_bounds__(128 * WARPGROUPS, 1)
    attention_wgmma(const __grid_constant__ harness::TensorMap q_map, const __grid_constant__ harness::TensorMap k_map,
                    const __grid_constant__ harness::TensorMap v_map, const __grid_constant__ harness::TensorMap o_map,
                    float* lse, float scale, int Hq, int Hkv, int Sq, int Sk, int causal) {
  using Rows = harness::WgmmaRows<T, D, BLOCK_N>;
  constexpr int kBlockM = 64 * WARPGROUPS;
  extern __shared__ __align__(1024) unsigned char shared_memory[];
  __shared__ harness::Mbarrier queries_here, keys_here[STAGES], values_here[STAGES];
  T* const q_tile = reinterpret_cast<T*>(shared_memory);
  T* const k_tiles = q_tile + kBlockM * Rows::kWidth;
  T* const v_tiles = k_tiles + STAGES * Rows::kTile;

  const int block = causal ? gridDim.x - 1 - blockIdx.x : blockIdx.x;  // the longest first
  const harness::AttentionTile tile(block, kBlockM, blockIdx.y, blockIdx.z, Hq, Hkv, Sq, Sk, causal);
  const int tiles = (tile.end + BLOCK_N - 1) / BLOCK_N;

  // Tile `step` of the walk, which goes from the last keys to the first: masked tiles come first.
  const auto load = [&](int step) {
    const int stage = step % STAGES, first_key = (tiles - 1 - step) * BLOCK_N;
    harness::mbarrier_arrive_expect(&keys_here[stage], Rows::kTileBytes);
    harness::load_panels<D>(k_tiles + stage * Rows::kTile, k_map, &keys_here[stage], BLOCK_N, first_key, tile.kv_head,
                            tile.batch);
    harness::mbarrier_arrive_expect(&values_here[stage], Rows::kTileBytes);
    harness::load_panels<D>(v_tiles + stage * Rows::kTile, v_map, &values_here[stage], BLOCK_N, first_key, tile.kv_head,
                            tile.batch);
  };
  if (threadIdx.x == 0) {
    harness::mbarrier_init(&queries_here, 1);
    for (int s = 0; s < STAGES; ++s) {
      harness::mbarrier_init(&keys_here[s], 1);
      harness::mbarrier_init(&values_here[s], 1);
    }
    harness::mbarrier_init_fence();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    harness::mbarrier_arrive_expect(&queries_here, 2 * kBlockM * Rows::kWidth);
    harness::load_panels<D>(q_tile, q_map, &queries_here, kBlockM, tile.first_query, tile.head, tile.batch);
    for (int s = 0; s < STAGES && s < tiles; ++s) load(s);
  }

  const int warpgroup = threadIdx.x / 128;
  const float factor = scale * 1.4426950408889634f;
  T* const own_queries = q_tile + warpgroup * 64 * Rows::kPanelRow;
  Rows rows(warpgroup);
  harness::mbarrier_wait(&queries_here, 0);
  for (int step = 0; step < tiles; ++step) {
    const int stage = step % STAGES, parity = step / STAGES & 1, first_key = (tiles - 1 - step) * BLOCK_N;
    typename Rows::Scores score;
    harness::mbarrier_wait(&keys_here[stage], parity);
    harness::wgmma_fence();
    Rows::multiply_keys(score, own_queries, kBlockM, k_tiles + stage * Rows::kTile);
    harness::wgmma_commit();
    harness::wgmma_wait<0>();

    if (first_key + BLOCK_N > tile.end || first_key + BLOCK_N - 1 > tile.diagonal)
      rows.mask(score, first_key, tile.end, tile.diagonal);
    float rescale[2];
    rows.exponentiate(score, rescale, factor);
    rows.rescale_output(rescale);
    typename Rows::Packed p;
    Rows::pack(p, score);

    harness::mbarrier_wait(&values_here[stage], parity);
    harness::wgmma_fence();
    rows.multiply_values(p, v_tiles + stage * Rows::kTile);
    harness::wgmma_commit();
    harness::wgmma_wait<0>();
    __syncthreads();  // all warps are done with this stage
    if (threadIdx.x == 0 && step + STAGES < tiles) load(step + STAGES);
  }

  // Each warpgroup stores its rows through the memory of its queries, which it no longer needs.
  rows.finish(lse ? lse + tile.first_of_out : nullptr, tile.queries);
  rows.stage_output(own_queries, kBlockM);
  harness::async_proxy_fence();
  __syncthreads();
  if (threadIdx.x % 128 == 0 && warpgroup * 64 < tile.queries)
    harness::store_panels<T, D>(o_map, own_queries, kBlockM, tile.first_query + warpgroup * 64, tile.head, tile.batch);
}
