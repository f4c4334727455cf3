#include <harness/attention_mma.cuh>

#include "combine.cuh"

// Idea: 40_mma with the keys split as in 20_split_kv (playbook 112): SPLITS blocks share a query tile, each walks over
// its own range of keys, a second kernel puts the partial results together.
// Cost: as there, SPLITS * (D + 2) floats a row written and read again, and a second launch.
// Stops: when the blocks of 40_mma fill the device by themselves; when a split has but one or two tiles, for which the
// ring never fills; and where even one launch is long (50_tiny combines in one).

// Workspaces: o_partial [B, Hq, Sq, splits, D], max_partial and sum_partial [B, Hq, Sq, splits], every element written.
template <class T, int D, int WARPS, int TILES, int BLOCK_N, int RING, int Q_REGISTERS>
__global__ void __launch_bounds__(32 * WARPS, 1)
    attention_mma_partial(const T* q, const T* k, const T* v, float* o_partial, float* max_partial, float* sum_partial,
                          float scale, int Hq, int Hkv, int Sq, int Sk, int causal, int splits) {
  using Tile = harness::MmaTile<T, D, WARPS, TILES, BLOCK_N, RING, Q_REGISTERS != 0>;
  extern __shared__ float4 shared_memory[];
  harness::grid_launch_dependents();  // the combining blocks may come as soon as all blocks of this launch have
  const int split = blockIdx.x % splits;
  const int first_query = blockIdx.x / splits * Tile::kBlockM;
  const int queries = min(Tile::kBlockM, Sq - first_query);
  const long long head = static_cast<long long>(blockIdx.z) * Hq + blockIdx.y;
  const long long kv_head = static_cast<long long>(blockIdx.z) * Hkv + blockIdx.y / (Hq / Hkv);
  const long long first_of_out = head * Sq + first_query;

  // Whole tiles to each split. A range past the causal end is empty and leaves (0, -inf, 0), which weighs nothing.
  const int diagonal = causal ? first_query + Sk - Sq : Sk;
  const int tiles = (Sk + BLOCK_N - 1) / BLOCK_N;
  const int range = (tiles + splits - 1) / splits * BLOCK_N;
  const int begin = split * range;
  const int end = min(min(Sk, begin + range), max(0, diagonal + queries));

  Tile tile(reinterpret_cast<char*>(shared_memory));
  tile.load_queries(q + first_of_out * D, queries);
  tile.attend(k + kv_head * Sk * D, v + kv_head * Sk * D, begin, end, harness::Diagonal{diagonal},
              scale * 1.4426950408889634f);

#pragma unroll
  for (int m = 0; m < TILES; ++m)
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      const float sum = tile.sum_of_row(m, h);
      if (tile.row(m, h) >= queries) continue;
      const long long partial = (first_of_out + tile.row(m, h)) * splits + split;
#pragma unroll
      for (int n = 0; n < Tile::kOutTiles; ++n)
        harness::store(o_partial + partial * D + 8 * n + 2 * tile.pair,
                       harness::Vec<float, 2>{{tile.out[m][n][2 * h], tile.out[m][n][2 * h + 1]}});
      if (tile.pair == 0) {
        max_partial[partial] = tile.largest[m][h];
        sum_partial[partial] = sum;
      }
    }
}
