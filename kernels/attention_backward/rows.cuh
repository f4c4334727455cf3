#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// The two small launches around the large one. They are bound by memory, which holds all of it in L2 for most sizes.

/// Before: of each query its delta, its lse and with CLEARS zeros for its sums. Sixteen lanes or eight take
/// a row of D elements, 8 each. `padded` rows a head, whole tiles: rows behind the last one have lse = inf, as have
/// rows that see no key, so that exp(s - lse) is 0 for all of them without a question.
template <class T, int D, bool CLEARS>
__global__ void __launch_bounds__(256) prepare(const T* o, const T* d_o, const float* lse, float* lse_of_tiles,
                                               float* deltas, float* sums, int Sq, int padded) {
  constexpr int kLanes = D / 8;
  const int row = blockIdx.x * (256 / kLanes) + threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  if (row >= padded) return;
  const long long from = static_cast<long long>(blockIdx.y) * Sq + row,
                  to = static_cast<long long>(blockIdx.y) * padded + row;
  float delta = 0;
  if (row < Sq) {
    const auto out = harness::load<8>(o + from * D + lane * 8);
    const auto gradient = harness::load<8>(d_o + from * D + lane * 8);
#pragma unroll
    for (int i = 0; i < 8; ++i) delta += harness::to_float(out.at[i]) * harness::to_float(gradient.at[i]);
  }
#pragma unroll
  for (int other = 1; other < kLanes; other *= 2) delta += __shfl_xor_sync(0xffffffffu, delta, other);
  if constexpr (CLEARS) {
    float4* const zero = reinterpret_cast<float4*>(sums + to * D);
    zero[lane] = zero[lane + kLanes] = {0, 0, 0, 0};
  }
  if (lane != 0) return;
  const float own = row < Sq ? lse[from] : harness::kInfinity;
  lse_of_tiles[to] = own == -harness::kInfinity ? harness::kInfinity : own;
  deltas[to] = delta;
}

/// After: d_q from its sums in fp32.
template <class T, int D>
__global__ void __launch_bounds__(256) finish(const float* sums, T* d_q, float scale, int Sq, int padded) {
  constexpr int kLanes = D / 8;
  const int row = blockIdx.x * (256 / kLanes) + threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  if (row >= Sq) return;
  const long long from = static_cast<long long>(blockIdx.y) * padded + row,
                  to = static_cast<long long>(blockIdx.y) * Sq + row;
  const float* const sum = sums + from * D + lane * 8;
  harness::Vec<T, 8> rounded;
#pragma unroll
  for (int i = 0; i < 8; ++i) rounded.at[i] = harness::from_float<T>(scale * sum[i]);
  harness::store(d_q + to * D + lane * 8, rounded);
}
