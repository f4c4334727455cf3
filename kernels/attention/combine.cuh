#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/pdl.cuh>
#include <harness/vec.cuh>

// What the variants that split the keys share: the second launch, which puts partial results together.
//
// A partial result is (out, largest, sum) of its own range: out is *not* divided by sum, and both are relative to the
// range's own maximum, in units of log2. Each factor is applied once: exp2(largest - overall), then one division at the
// end.

/// The columns of a row that a lane has, by vectors of kVector: D / 32 neighbours where these are a vector, else pairs,
/// a lane's being 64 columns apart. Of a last round of pairs the first lanes have one.
template <int D>
struct CombinedColumns {
  static constexpr bool kNeighbours = D == 64 || D == 128;
  static constexpr int kVector = kNeighbours ? D / 32 : 2;
  static constexpr int kVectors = kNeighbours ? 1 : (D + 63) / 64;

  __device__ static int column(int lane, int i) { return kNeighbours ? lane * kVector : 64 * i + 2 * lane; }
  __device__ static bool exists(int lane, int i) { return D % 64 == 0 || column(lane, i) < D; }
};

// Workspaces: o_partial [rows, splits, D], max_partial and sum_partial [rows, splits], where rows are those of o.
// One warp a row: every lane weighs the splits and sums its own columns. Launched with `pdl` it is there, with its
// indices computed, when the last partial result is stored.
template <class T, int D>
__global__ void attention_combine(const float* o_partial, const float* max_partial, const float* sum_partial, T* o,
                                  float* lse, int rows, int splits) {
  using Columns = CombinedColumns<D>;
  constexpr int kVector = Columns::kVector, kVectors = Columns::kVectors;
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  const long long first = static_cast<long long>(row) * splits;

  harness::grid_dependency_wait();
  float overall = -harness::kInfinity;
  for (int s = 0; s < splits; ++s) overall = fmaxf(overall, max_partial[first + s]);
  const float base = overall == -harness::kInfinity ? 0.0f : overall;  // no visible key at all: weights exp2(-inf) = 0

  float sum = 0, out[kVectors][kVector] = {};
  for (int s = 0; s < splits; ++s) {
    const float weight = exp2f(max_partial[first + s] - base);
    sum += weight * sum_partial[first + s];
#pragma unroll
    for (int i = 0; i < kVectors; ++i) {
      if (!Columns::exists(lane, i)) continue;
      const harness::Vec<float, kVector> part =
          harness::load<kVector>(o_partial + (first + s) * D + Columns::column(lane, i));
#pragma unroll
      for (int c = 0; c < kVector; ++c) out[i][c] += weight * part.at[c];
    }
  }

  const float inverse = sum > 0 ? 1.0f / sum : 0.0f;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    if (!Columns::exists(lane, i)) continue;
    harness::Vec<T, kVector> rounded;
#pragma unroll
    for (int c = 0; c < kVector; ++c) rounded.at[c] = harness::from_float<T>(out[i][c] * inverse);
    harness::store(o + static_cast<long long>(row) * D + Columns::column(lane, i), rounded);
  }
  if (lse && lane == 0) lse[row] = sum > 0 ? overall * 0.6931471805599453f + logf(sum) : -harness::kInfinity;
}
