#include <harness/infinity.cuh>

#include "tiles.cuh"

// The inputs that forward left: lse and o of q, k and v, computed in fp32 (where there are many pairs, a block
// of 128 threads takes 64 rows of a head). Nobody judges them, and they need not be the nearest numbers: the gradient is defined by the lse and o that are
// handed over. A row that sees no key has lse = -inf and o = 0.

namespace {

struct Block {
  long long head, kv_head, row;  // heads of all batches
  bool any;

  __device__ Block(long long B, long long Hq, long long Hkv, long long Sq) {
    const long long of_a_head = (Sq + kTile - 1) / kTile;
    head = blockIdx.x / of_a_head;
    row = blockIdx.x % of_a_head * kTile;
    kv_head = head / Hq * Hkv + head % Hq / (Hq / Hkv);
    any = head < B * Hq;
  }
};

/// Row `row` of all heads alone.
template <class T, int D, bool CAUSAL>
__device__ void lse_of_row(long long row, const T* q, const T* k, float* lse, float scale, long long B, long long Hq,
                           long long Hkv, long long Sq, long long Sk) {
  if (row >= B * Hq * Sq) return;
  const long long head = row / Sq, visible = Place{Sq, Sk, CAUSAL}.visible(row % Sq);
  const T* keys = k + (head / Hq * Hkv + head % Hq / (Hq / Hkv)) * Sk * D;
  float largest = -harness::kInfinity, sum = 0;
  for (long long j = 0; j < visible; ++j) {
    const float s = scale * dot<float, D>(q + row * D, keys + j * D), here = fmaxf(largest, s);
    sum = sum * expf(largest - here) + expf(s - here);
    largest = here;
  }
  lse[row] = sum > 0 ? largest + logf(sum) : -harness::kInfinity;
}

template <class T, int D, bool CAUSAL>
__device__ void o_of_row(long long row, const T* q, const T* k, const T* v, const float* lse, T* o, float scale,
                         long long B, long long Hq, long long Hkv, long long Sq, long long Sk) {
  if (row >= B * Hq * Sq) return;
  const long long head = row / Sq, visible = Place{Sq, Sk, CAUSAL}.visible(row % Sq);
  const long long first_key = (head / Hq * Hkv + head % Hq / (Hq / Hkv)) * Sk;
  float out[D];
  for (int d = 0; d < D; ++d) out[d] = 0;
  for (long long j = first_key; j < first_key + visible; ++j) {
    const float p = expf(fmaf(dot<float, D>(q + row * D, k + j * D), scale, -lse[row]));
    for (int d = 0; d < D; ++d) out[d] += p * harness::to_float(v[j * D + d]);
  }
  for (int d = 0; d < D; ++d) o[row * D + d] = harness::from_float<T>(out[d]);
}

/// Of the eight threads that share rows.
template <class F>
__device__ float together(float x, F f) {
#pragma unroll
  for (int other = 1; other < 8; other *= 2) x = f(x, __shfl_xor_sync(0xffffffffu, x, other));
  return x;
}

}  // namespace

template <class T, int D, bool CAUSAL>
__global__ void __launch_bounds__(kThreads)
    draw_lse(const T* q, const T* k, float* lse, unsigned long long, long long B, long long Hq, long long Hkv,
             long long Sq, long long Sk) {
  __shared__ Slices<float> slices;
  const float scale = rsqrtf(static_cast<float>(D));
  if (are_few(B, Hq, Sq, Sk))
    return lse_of_row<T, D, CAUSAL>(static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, q, k, lse, scale, B,
                                    Hq, Hkv, Sq, Sk);
  const Block block(B, Hq, Hkv, Sq);
  if (!block.any) return;
  const Place place{Sq, Sk, CAUSAL};
  const T* rows = q + (block.head * Sq + block.row) * D;
  const T* keys = k + block.kv_head * Sk * D;
  float largest[kOfRows], sum[kOfRows];
#pragma unroll
  for (int i = 0; i < kOfRows; ++i) {
    largest[i] = -harness::kInfinity;
    sum[i] = 0;
  }
  const long long end = place.visible(min(block.row + kTile, Sq) - 1);
  for (long long key = 0; key < end; key += kTile) {
    Sums<float> s;
    multiply_rows<D>(s, slices, rows, Sq - block.row, keys + key * D, Sk - key);
#pragma unroll
    for (int i = 0; i < kOfRows; ++i) {
      float here = largest[i];
#pragma unroll
      for (int j = 0; j < kOfColumns; ++j) {
        s.at[i][j] = place.sees(block.row + row_of(i), key + column_of(j)) ? s.at[i][j] * scale : -harness::kInfinity;
        here = fmaxf(here, s.at[i][j]);
      }
      here = together(here, [](float a, float b) { return fmaxf(a, b); });
      const float base = here == -harness::kInfinity ? 0.0f : here;
      float added = 0;
#pragma unroll
      for (int j = 0; j < kOfColumns; ++j) added += expf(s.at[i][j] - base);
      sum[i] = sum[i] * expf(largest[i] - base) + together(added, [](float a, float b) { return a + b; });
      largest[i] = here;
    }
  }
  if (threadIdx.x % 8 != 0) return;
#pragma unroll
  for (int i = 0; i < kOfRows; ++i) {
    const long long r = block.row + row_of(i);
    if (r < Sq) lse[block.head * Sq + r] = sum[i] > 0 ? largest[i] + logf(sum[i]) : -harness::kInfinity;
  }
}

template <class T, int D, bool CAUSAL>
__global__ void __launch_bounds__(kThreads)
    draw_o(const T* q, const T* k, const T* v, const float* lse, T* o, unsigned long long, long long B, long long Hq,
           long long Hkv, long long Sq, long long Sk) {
  __shared__ Slices<float> slices;
  __shared__ float weights[kTile][kPitch];  // [key][row]
  const float scale = rsqrtf(static_cast<float>(D));
  if (are_few(B, Hq, Sq, Sk))
    return o_of_row<T, D, CAUSAL>(static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x, q, k, v, lse, o,
                                  scale, B, Hq, Hkv, Sq, Sk);
  const Block block(B, Hq, Hkv, Sq);
  if (!block.any) return;
  const Place place{Sq, Sk, CAUSAL};
  const long long first = block.head * Sq + block.row;
  const T* keys = k + block.kv_head * Sk * D;
  const T* values = v + block.kv_head * Sk * D;
  Sums<float> out[D / kTile];
  const long long end = place.visible(min(block.row + kTile, Sq) - 1);
  for (long long key = 0; key < end; key += kTile) {
    Sums<float> s;
    multiply_rows<D>(s, slices, q + first * D, Sq - block.row, keys + key * D, Sk - key);
#pragma unroll
    for (int i = 0; i < kOfRows; ++i)
#pragma unroll
      for (int j = 0; j < kOfColumns; ++j) {
        const bool sees = place.sees(block.row + row_of(i), key + column_of(j));
        weights[column_of(j)][row_of(i)] = sees ? expf(fmaf(s.at[i][j], scale, -lse[first + row_of(i)])) : 0.0f;
      }
#pragma unroll
    for (int c = 0; c < D / kTile; ++c)
      multiply_columns<D>(out[c], slices, weights, values + key * D + c * kTile, Sk - key);
  }
#pragma unroll
  for (int c = 0; c < D / kTile; ++c)
#pragma unroll
    for (int i = 0; i < kOfRows; ++i)
#pragma unroll
      for (int j = 0; j < kOfColumns; ++j)
        if (block.row + row_of(i) < Sq)
          o[(first + row_of(i)) * D + c * kTile + column_of(j)] = harness::from_float<T>(out[c].at[i][j]);
}
