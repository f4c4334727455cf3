#include <harness/convert.cuh>

#include "mma_tile.cuh"

// Idea (playbook 112 and 113): with one query row or a few, attention reads every key and value once and does little
// with them, so the time is bytes over bandwidth: what counts is that the whole device reads, that enough bytes are
// under way, and that nothing is read twice. The query heads that share a key/value head are packed into the 16 rows of
// one tile, so their keys are read once; the keys are split over SPLITS blocks and in each over KEY_WARPS warps, which
// stream through rings of their own without a barrier; and the block that comes last puts the splits together, which
// saves a second launch. The warps of a block take neighbouring tiles in turns, so that a block reads K and V from two
// places and not from two for each warp (which brought less than 1 % on an H200).
// Cost: the tensor cores compute 16 rows whether there are so many or not; that is free while memory is the limit.
// To keep 3.5 TB/s going at about 1 us of latency 3.5 MB must be under way, 27 KB a multiprocessor; a warp has
// (RING - 1) * BLOCK_N * D * 2 bytes. A row is written and read again once for each split.
// Stops: when the rows of a group are many more than 16 (each 16 read all keys again: 40_mma), or when the keys are so
// few that a launch and the meeting of the blocks take longer than reading (50_tiny).

/// Rows of a group, query head by query head, Sq each: what row r of a tile sees does not grow with r.
struct PackedRows {
  int first, Sq, shift;  // first row of the tile in the group; query i sees the keys up to i + shift
  __device__ int last_key(int row) const { return (first + row) % Sq + shift; }
  __device__ int last_of_all() const { return shift; }
  __device__ int last_of_any(int, int) const { return Sq - 1 + shift; }
};

constexpr int kRows = 16;  // of a tile

// The largest of a row's maxima over `parts` results, and the weights that make them relative to it.
__device__ inline float weight_of(float largest, float overall) {
  return harness::exp2_approx(largest - (overall == -harness::kInfinity ? 0.0f : overall));
}

/// Puts the results of the block's warps together, in shared memory, and writes those of the rows below `valid`:
/// out [kRows, D], relative to its maximum and not divided by its sum, and largest and sum [kRows].
template <int D, int KEY_WARPS, int BYTES, class Tile>
__device__ void combine_warps(const Tile& tile, char* shared, int valid, float* o_partial, float* max_partial,
                              float* sum_partial) {
  static_assert(BYTES >= kRows * D * 4, "a warp's results fit where its tiles were");
  __shared__ float largest[KEY_WARPS][kRows], sum[KEY_WARPS][kRows];
  const int warp = threadIdx.x / 32;
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const float total = tile.sum_of_row(0, h);
    if (tile.pair == 0) {
      largest[warp][tile.row(0, h)] = tile.largest[0][h];
      sum[warp][tile.row(0, h)] = total;
    }
    float* out = reinterpret_cast<float*>(shared + warp * BYTES) + tile.row(0, h) * D;
    if (tile.row(0, h) < valid)
#pragma unroll
      for (int n = 0; n < Tile::kOutTiles; ++n)
        harness::store(out + 8 * n + 2 * tile.pair,
                       harness::Vec<float, 2>{{tile.out[0][n][2 * h], tile.out[0][n][2 * h + 1]}});
  }
  __syncthreads();
  for (int i = threadIdx.x; i < valid * D; i += 32 * KEY_WARPS) {
    const int row = i / D;
    float overall = -harness::kInfinity, out = 0, total = 0;
#pragma unroll
    for (int w = 0; w < KEY_WARPS; ++w) overall = fmaxf(overall, largest[w][row]);
#pragma unroll
    for (int w = 0; w < KEY_WARPS; ++w) {
      const float weight = weight_of(largest[w][row], overall);
      out += weight * reinterpret_cast<const float*>(shared + w * BYTES)[i];
      total += weight * sum[w][row];
    }
    o_partial[i] = out;
    if (i % D == 0) {
      max_partial[row] = overall;
      sum_partial[row] = total;
    }
  }
}

/// Puts the results of all splits of a tile together. `weights` is shared memory for kRows * (splits + 1) floats.
template <class T, int D>
__device__ void combine_splits(const float* o_partial, const float* max_partial, const float* sum_partial,
                               float* weights, int splits, int valid, T* o, float* lse) {
  const int lane = threadIdx.x % 32;
  float* inverse = weights + kRows * splits;
  for (int row = threadIdx.x / 32; row < valid; row += blockDim.x / 32) {
    float overall = -harness::kInfinity, sum = 0;
    for (int s = lane; s < splits; s += 32) overall = fmaxf(overall, __ldcg(max_partial + s * kRows + row));
    overall = harness::warp_max(overall);
    for (int s = lane; s < splits; s += 32) {
      const float weight = weight_of(__ldcg(max_partial + s * kRows + row), overall);
      weights[row * splits + s] = weight;
      sum += weight * __ldcg(sum_partial + s * kRows + row);
    }
    sum = harness::warp_sum(sum);
    if (lane != 0) continue;
    inverse[row] = sum > 0 ? 1.0f / sum : 0.0f;  // a row that sees no key is 0
    if (lse) lse[row] = sum > 0 ? overall * 0.6931471805599453f + logf(sum) : -harness::kInfinity;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < valid * D; i += blockDim.x) {
    const int row = i / D;
    float out = 0;
#pragma unroll 8
    for (int s = 0; s < splits; ++s) out += weights[row * splits + s] * __ldcg(o_partial + s * kRows * D + i);
    o[i] = harness::from_float<T>(out * inverse[row]);
  }
}

// Grid: splits * tiles of a group x (B * Hkv). Workspaces, by tile of the grid: o_partial [splits, kRows, D],
// max_partial and sum_partial [splits, kRows], of which the rows that exist are written, and arrived, zero before and
// after.
template <class T, int D, int KEY_WARPS, int BLOCK_N, int RING>
__global__ void __launch_bounds__(32 * KEY_WARPS, 1)
    attention_decode(const T* q, const T* k, const T* v, T* o, float* lse, float* o_partial, float* max_partial,
                     float* sum_partial, unsigned* arrived, float scale, int Hq, int Hkv, int Sq, int Sk, int causal,
                     int splits) {
  using Tile = MmaTile<T, D, 1, 1, BLOCK_N, RING, true>;
  extern __shared__ float4 shared_memory[];
  char* shared = reinterpret_cast<char*>(shared_memory);
  const int warp = threadIdx.x / 32;
  const int split = blockIdx.x % splits, tile_of_group = blockIdx.x / splits;
  const int rows = Hq / Hkv * Sq;  // of a group, one after the other in q and o
  const int first_row = tile_of_group * kRows;
  const int valid = min(kRows, rows - first_row);
  const long long kv_head = blockIdx.y;
  const long long first_of_out = kv_head * rows + first_row;
  const long long tile_of_grid = kv_head * (gridDim.x / splits) + tile_of_group;

  // Whole rounds of tiles to each split, of which each warp takes every KEY_WARPS-th tile. The last ones may get none
  // and leave (0, -inf, 0), which weighs nothing.
  constexpr int kRound = KEY_WARPS * BLOCK_N;
  const int range = (Sk + splits * kRound - 1) / (splits * kRound) * kRound;
  const int end = min(Sk, (split + 1) * range);
  const int begin = min(end, split * range + warp * BLOCK_N);

  Tile tile(shared + warp * Tile::kSharedBytes);
  tile.load_queries(q + first_of_out * D, valid);
  tile.attend(k + kv_head * Sk * D, v + kv_head * Sk * D, begin, end, PackedRows{first_row, Sq, causal ? Sk - Sq : Sk},
              scale * 1.4426950408889634f, kRound);

  const long long partial = tile_of_grid * splits * kRows;
  combine_warps<D, KEY_WARPS, Tile::kSharedBytes>(tile, shared, valid, o_partial + (partial + split * kRows) * D,
                                                  max_partial + partial + split * kRows,
                                                  sum_partial + partial + split * kRows);

  // The block that comes last finds what all have written: each wrote, fenced, and then counted itself.
  __shared__ unsigned before;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) before = atomicAdd(arrived + tile_of_grid, 1u);
  __syncthreads();
  if (before != splits - 1) return;
  __threadfence();
  combine_splits<T, D>(o_partial + partial * D, max_partial + partial, sum_partial + partial,
                       reinterpret_cast<float*>(shared), splits, valid, o + first_of_out * D,
                       lse ? lse + first_of_out : nullptr);
  if (threadIdx.x == 0) arrived[tile_of_grid] = 0;
}
