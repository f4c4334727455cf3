#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>

#include "combine.cuh"
#include "online_tile.cuh"

// Idea: few queries make few blocks. So the keys are split too: SPLITS blocks share a query tile, each attends to its
// own range of keys, and a second kernel puts the partial results together. Cost: SPLITS times as many blocks and
// 1/SPLITS of the sequential tiles in each; in exchange SPLITS * (D + 2) floats a row are written and read again, and a
// second launch follows the first (about 1 us on a GPU). Stops: when the blocks of 10_fa1 fill the device by
// themselves, or when the second launch costs more than the walk saves.
//
// Workspaces: o_partial [B, Hq, Sq, splits, D], max_partial and sum_partial [B, Hq, Sq, splits], every element written.
template <class T, int D, int BLOCK_M, int BLOCK_N, int ROWS, int LANES>
__global__ void __launch_bounds__(BLOCK_M / ROWS * LANES, 1)
    attention_partial(const T* q, const T* k, const T* v, float* o_partial, float* max_partial, float* sum_partial,
                      float scale, int Hq, int Hkv, int Sq, int Sk, int causal, int splits) {
  constexpr int kVec = 16 / sizeof(T);
  using Tile = OnlineTile<T, D, BLOCK_M, BLOCK_N, ROWS, LANES, kVec>;
  extern __shared__ float4 shared_memory[];
  harness::grid_launch_dependents();  // the combining blocks may come as soon as all blocks of this launch have
  const int split = blockIdx.x % splits;
  const int first_query = blockIdx.x / splits * BLOCK_M;
  const int queries = min(BLOCK_M, Sq - first_query);
  const long long head = static_cast<long long>(blockIdx.z) * Hq + blockIdx.y;
  const long long kv_head = static_cast<long long>(blockIdx.z) * Hkv + blockIdx.y / (Hq / Hkv);
  const long long first_of_out = head * Sq + first_query;

  // Whole tiles to each split. A range past the causal end is empty and leaves (0, -inf, 0), which weighs nothing.
  const int diagonal = causal ? first_query + Sk - Sq : Sk;
  const int tiles = (Sk + BLOCK_N - 1) / BLOCK_N;
  const int range = (tiles + splits - 1) / splits * BLOCK_N;
  const int begin = split * range;
  const int end = min(min(Sk, begin + range), max(0, diagonal + queries));

  Tile tile(shared_memory);
  tile.load_queries(q + first_of_out * D, queries, scale);
  tile.attend(k + kv_head * Sk * D, v + kv_head * Sk * D, begin, end, diagonal);

#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const float sum = tile.sum_of_row(r);
    if (tile.first_row + r >= queries) continue;
    const long long partial = (first_of_out + tile.first_row + r) * splits + split;
#pragma unroll
    for (int c = 0; c < Tile::kColumns; c += Tile::kChunk) {
      harness::Vec<float, Tile::kChunk> out;
#pragma unroll
      for (int x = 0; x < Tile::kChunk; ++x) out.at[x] = tile.out[r][c + x];
      harness::store(o_partial + partial * D + tile.column(c), out);
    }
    if (tile.lane == 0) {
      max_partial[partial] = tile.largest[r];
      sum_partial[partial] = sum;
    }
  }
}
