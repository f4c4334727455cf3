#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>

#include "online_tile.cuh"

// Idea (FlashAttention 1): a block keeps BLOCK_M query rows and walks over the keys tile by tile. Scores never leave
// the chip: the softmax is kept up to date online, and what was summed so far is rescaled when a larger score appears.
// Cost: 4 * Sq * Sk * D flops on the fp32 units; K and V are read once for every BLOCK_M queries instead of for each
// one; shared memory delivers a float4 for every ROWS * 4 multiply-adds. Causal blocks stop at their diagonal. Stops:
// at the fp32 rate (tensor cores do the same products 15 times faster), and when cdiv(Sq, BLOCK_M) * Hq * B blocks are
// fewer than multiprocessors: each walks all keys alone, one tile after the other (see 20_split_kv).
template <class T, int D, int BLOCK_M, int BLOCK_N, int ROWS, int LANES, int VEC>
__global__ void __launch_bounds__(BLOCK_M / ROWS * LANES, 1)
    attention_fa1(const T* q, const T* k, const T* v, T* o, float* lse, float scale, int Hq, int Hkv, int Sq, int Sk,
                  int causal) {
  using Tile = OnlineTile<T, D, BLOCK_M, BLOCK_N, ROWS, LANES, VEC>;
  extern __shared__ float4 shared_memory[];
  const int first_query = blockIdx.x * BLOCK_M;
  const int queries = min(BLOCK_M, Sq - first_query);
  const long long head = static_cast<long long>(blockIdx.z) * Hq + blockIdx.y;
  const long long kv_head = static_cast<long long>(blockIdx.z) * Hkv + blockIdx.y / (Hq / Hkv);
  const long long first_of_out = head * Sq + first_query;

  // Row r of the tile sees key j iff j <= r + diagonal; the last row decides where the block may stop.
  const int diagonal = causal ? first_query + Sk - Sq : Sk;
  const int end = min(Sk, max(0, diagonal + queries));

  Tile tile(shared_memory);
  tile.load_queries(q + first_of_out * D, queries, scale);
  tile.attend(k + kv_head * Sk * D, v + kv_head * Sk * D, 0, end, diagonal);

#pragma unroll
  for (int r = 0; r < ROWS; ++r) {
    const float sum = tile.sum_of_row(r);
    if (tile.first_row + r >= queries) continue;
    const long long row = first_of_out + tile.first_row + r;
    const float inverse = sum > 0 ? 1.0f / sum : 0.0f;  // a row that sees no key is 0
#pragma unroll
    for (int c = 0; c < Tile::kColumns; c += Tile::kChunk) {
      harness::Vec<T, Tile::kChunk> out;
#pragma unroll
      for (int x = 0; x < Tile::kChunk; ++x) out.at[x] = harness::from_float<T>(tile.out[r][c + x] * inverse);
      harness::store(o + row * D + tile.column(c), out);
    }
    if (lse && tile.lane == 0)
      lse[row] = sum > 0 ? tile.largest[r] * 0.6931471805599453f + logf(sum) : -harness::kInfinity;
  }
}
