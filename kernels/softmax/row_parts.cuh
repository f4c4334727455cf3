#pragma once
#include <harness/cluster.cuh>
#include <harness/exp2.cuh>
#include <harness/infinity.cuh>
#include <harness/warp.cuh>

// How those who hold a row together find its maximum and its sum: threads of a warp, warps of a block, blocks of a
// cluster. Each exponentiates its own elements against its own maximum; a sum under one maximum becomes a sum under a
// larger one by a factor (20_online's rule). Scores are in units of log2.

constexpr float kLog2e = 1.4426950408889634f;

/// What a sum under the maximum `from` is worth under the larger one `to`: nothing if there was nothing to sum.
__device__ inline float correction(float from, float to) {
  return from == -harness::kInfinity ? 0.0f : harness::exp2_approx(from - to);
}

/// The maximum of some elements, and the sum of 2^(element - maximum). Of no element: -inf and 0.
struct Part {
  float largest = -harness::kInfinity, sum = 0;

  __device__ void add(Part other) {
    const float overall = fmaxf(largest, other.largest);
    sum = sum * correction(largest, overall) + other.sum * correction(other.largest, overall);
    largest = overall;
  }
};

/// Of all lanes' elements, by all lanes.
__device__ inline Part of_warp(Part mine) {
  const float overall = harness::warp_max(mine.largest);
  return {overall, harness::warp_sum(mine.sum * correction(mine.largest, overall))};
}

/// Where the warps of BLOCKS blocks of a cluster leave what they have of a row: one copy in each block.
template <int WARPS, int BLOCKS>
struct Meeting {
  float slots[BLOCKS * WARPS][2];

  /// By all lanes. Lane r tells block r: one store a lane, and no second barrier for a block's own sum. The cluster's
  /// blocks must all have begun.
  __device__ void tell(Part mine, int rank) {
    const int lane = threadIdx.x % 32, slot = rank * WARPS + threadIdx.x / 32;
    if (lane >= BLOCKS) return;
    const harness::Vec<float, 2> both = {mine.largest, mine.sum};
    if constexpr (BLOCKS == 1) harness::store(slots[slot], both);
    else harness::store_cluster(slots[slot], lane, both);
  }

  /// Behind it stands in every block what all have told.
  __device__ static void barrier() {
    if constexpr (BLOCKS == 1) __syncthreads();
    else harness::cluster_sync();
  }

  /// Of the whole row, by all lanes.
  __device__ Part all() const {
    Part mine;
    for (int i = threadIdx.x % 32; i < BLOCKS * WARPS; i += 32) mine.add({slots[i][0], slots[i][1]});
    return of_warp(mine);
  }
};

/// ITEMS vectors of a thread in registers: first scores, then 2^(score - the thread's maximum).
template <class T, int ITEMS>
struct Held {
  static constexpr int kVec = 16 / sizeof(T);
  float value[ITEMS][kVec];

  /// What the thread has of the row, whose scores stand in `value`.
  __device__ Part exponentiate() {
    Part part;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
#pragma unroll
      for (int e = 0; e < kVec; ++e) part.largest = fmaxf(part.largest, value[i][e]);
    const float base = part.largest == -harness::kInfinity ? 0.0f : part.largest;
#pragma unroll
    for (int i = 0; i < ITEMS; ++i)
#pragma unroll
      for (int e = 0; e < kVec; ++e) {
        value[i][e] = harness::exp2_approx(value[i][e] - base);
        part.sum += value[i][e];
      }
    return part;
  }
};
