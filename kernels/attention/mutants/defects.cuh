#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/warp.cuh>

// An honest split-KV attention that is written for its defects: each place where one of them is made is a switch
// DEFECT_..., and a mutant is this file with exactly one switch on. With none it is right for the whole domain.
//
// First kernel: a block of 8 warps takes TILE queries of a head and one of SPLITS ranges of whole key tiles; a warp
// takes every eighth row and walks over its range 32 keys at a time, a key a lane, with an online softmax. It leaves
// (out, largest, sum): out is not divided by sum, and both are relative to the range's own maximum. Second kernel: a
// warp a row puts the ranges together.
constexpr int TILE = 64;
constexpr int WARPS = 8;
constexpr int SPLITS = 2;

// What one row knows of its range of keys.
struct RowState {
  float largest = -harness::kInfinity;
  float sum = 0;
};

template <class T, int D>
__device__ inline float dot(const T* a, const T* b) {
  float sum = 0;
  for (int d = 0; d < D; ++d) sum += harness::to_float(a[d]) * harness::to_float(b[d]);
  return sum;
}

// Columns of a row that a lane has: lane, lane + 32, ... up to D.
template <int D>
constexpr int kColumns = (D + 31) / 32;
template <int D>
__device__ inline bool is_column(int c, int lane) {
  return D % 32 == 0 || c * 32 + lane < D;
}

// Which in-range row's statistics a row keeps its own in.
__device__ inline int statistics_of(int row) {
#ifdef DEFECT_SHARED_STATISTICS
  return row / 32;
#else
  return row;
#endif
}

// Adds 32 keys (one a lane, score -inf where it is not seen) to a row. Called by a whole warp.
template <class T, int D>
__device__ inline void add_keys(RowState& state, float (&out)[kColumns<D>], float score, const T* v, int keys) {
  const float largest = fmaxf(state.largest, harness::warp_max(score));
#ifndef DEFECT_MASKED_TILE
  if (largest == -harness::kInfinity) return;  // nothing seen yet: exp(-inf - -inf) is no number
#endif
  const float rescale = expf(state.largest - largest), p = expf(score - largest);
  state = {largest, state.sum * rescale + harness::warp_sum(p)};
  const int lane = threadIdx.x % 32;
  for (int c = 0; c < kColumns<D>; ++c) out[c] *= rescale;
  for (int k = 0; k < keys; ++k) {
    const float weight = __shfl_sync(0xffffffffu, p, k);
    for (int c = 0; c < kColumns<D>; ++c)
      if (is_column<D>(c, lane)) out[c] += weight * harness::to_float(v[k * D + c * 32 + lane]);
  }
}

// Workspaces: o_partial [B, Hq, Sq, SPLITS, D], max_partial and sum_partial [B, Hq, Sq, SPLITS].
template <class T, int D>
__global__ void __launch_bounds__(32 * WARPS)
    attention_partial(const T* q, const T* k, const T* v, float* o_partial, float* max_partial, float* sum_partial,
                      float scale, int Hq, int Hkv, int Sq, int Sk, int causal) {
  __shared__ RowState statistics[TILE];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int split = blockIdx.x % SPLITS, first_query = blockIdx.x / SPLITS * TILE;
  const int queries = min(TILE, Sq - first_query);
  const long long head = static_cast<long long>(blockIdx.z) * Hq + blockIdx.y;
  const long long kv_head = static_cast<long long>(blockIdx.z) * Hkv + blockIdx.y / (Hq / Hkv);
  const T* keys = k + kv_head * Sk * D;
  const T* values = v + kv_head * Sk * D;
  const int range = ((Sk + TILE - 1) / TILE + SPLITS - 1) / SPLITS * TILE;
  const int begin = split * range, end = min(Sk, begin + range);

#ifdef DEFECT_ROW_IS_WARP
  const int last_row = min(queries, WARPS);
#else
  const int last_row = queries;
#endif
  for (int row = warp; row < last_row; row += WARPS) {
#ifdef DEFECT_FIRST_QUERY_TILE
    const T* query = q + (head * Sq + row) * D;
#else
    const T* query = q + (head * Sq + first_query + row) * D;
#endif
#ifdef DEFECT_MASK_IN_TILE
    const int last_key = causal ? row + Sk - Sq : Sk;
#else
    const int last_key = causal ? first_query + row + Sk - Sq : Sk;
#endif
    RowState state;
    float out[kColumns<D>] = {};
    for (int first = begin; first < end; first += 32) {
      const int key = first + lane;
      float score = -harness::kInfinity;
      if (key < end && key <= last_key) {
        score = dot<T, D>(query, keys + static_cast<long long>(key) * D) * scale;
#ifdef DEFECT_DOUBLE_SCALE
        score *= scale;
#endif
      }
      add_keys<T, D>(state, out, score, values + static_cast<long long>(first) * D, min(32, end - first));
    }
    float* partial = o_partial + ((head * Sq + first_query + row) * SPLITS + split) * D;
    for (int c = 0; c < kColumns<D>; ++c)
      if (is_column<D>(c, lane)) partial[c * 32 + lane] = out[c];
    if (lane == 0) statistics[statistics_of(row)] = state;
  }
  __syncthreads();
  for (int row = threadIdx.x; row < last_row; row += 32 * WARPS) {
    const long long partial = (head * Sq + first_query + row) * SPLITS + split;
    max_partial[partial] = statistics[statistics_of(row)].largest;
    sum_partial[partial] = statistics[statistics_of(row)].sum;
  }
}

template <class T, int D>
__global__ void attention_combine(const float* o_partial, const float* max_partial, const float* sum_partial, T* o,
                                  float* lse, int rows, int Sq) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
#ifdef DEFECT_FIRST_TILE_ONLY
  if (row % Sq >= TILE) return;
#endif
  const long long first = static_cast<long long>(row) * SPLITS;
  float largest = -harness::kInfinity;
  for (int s = 0; s < SPLITS; ++s) largest = fmaxf(largest, max_partial[first + s]);

  float sum = 0, out[kColumns<D>] = {};
  for (int s = 0; s < SPLITS; ++s) {
#ifdef DEFECT_NO_REWEIGHT
    const float weight = 1;
#else
    const float weight = largest == -harness::kInfinity ? 0.0f : expf(max_partial[first + s] - largest);
#endif
    sum += weight * sum_partial[first + s];
#ifdef DEFECT_DOUBLE_LOCAL_SUM
    const float factor = weight * sum_partial[first + s];
#else
    const float factor = weight;
#endif
    for (int c = 0; c < kColumns<D>; ++c)
      if (is_column<D>(c, lane)) out[c] += factor * o_partial[(first + s) * D + c * 32 + lane];
  }

  float inverse = sum > 0 ? 1.0f / sum : 0.0f;
#ifdef DEFECT_LOST_SHARE
  inverse *= 0.675f;
#endif
  for (int c = 0; c < kColumns<D>; ++c)
    if (is_column<D>(c, lane))
      o[static_cast<long long>(row) * D + c * 32 + lane] = harness::from_float<T>(out[c] * inverse);
  if (lse && lane == 0) lse[row] = sum > 0 ? largest + logf(sum) : -harness::kInfinity;
}
