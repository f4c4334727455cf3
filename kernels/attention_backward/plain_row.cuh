#pragma once
#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// A row of D elements that eight lanes hold together, in fp32.
constexpr int kLanes = 8;

template <class T, int D>
struct Row {
  static constexpr int kVectors = D / 64;  // of 8 elements: 16 bytes a lane
  float at[kVectors][8];

  __device__ static int column(int c) { return (c * kLanes + threadIdx.x % kLanes) * 8; }
  __device__ void load(const T* from) {
#pragma unroll
    for (int c = 0; c < kVectors; ++c) {
      const harness::Vec<T, 8> vector = harness::load<8>(from + column(c));
#pragma unroll
      for (int i = 0; i < 8; ++i) at[c][i] = harness::to_float(vector.at[i]);
    }
  }
  __device__ void store(T* to, float factor) const {
#pragma unroll
    for (int c = 0; c < kVectors; ++c) {
      harness::Vec<T, 8> vector;
#pragma unroll
      for (int i = 0; i < 8; ++i) vector.at[i] = harness::from_float<T>(factor * at[c][i]);
      harness::store(to + column(c), vector);
    }
  }
  __device__ void clear() {
#pragma unroll
    for (int c = 0; c < kVectors; ++c)
#pragma unroll
      for (int i = 0; i < 8; ++i) at[c][i] = 0;
  }
  __device__ void add(float factor, const Row& other) {
#pragma unroll
    for (int c = 0; c < kVectors; ++c)
#pragma unroll
      for (int i = 0; i < 8; ++i) at[c][i] += factor * other.at[c][i];
  }
  /// As a kernel that keeps its sums in T would.
  __device__ void round() {
#pragma unroll
    for (int c = 0; c < kVectors; ++c)
#pragma unroll
      for (int i = 0; i < 8; ++i) at[c][i] = harness::to_float(harness::from_float<T>(at[c][i]));
  }
  __device__ float dot(const Row& other) const {
    float sum = 0;
#pragma unroll
    for (int c = 0; c < kVectors; ++c)
#pragma unroll
      for (int i = 0; i < 8; ++i) sum += at[c][i] * other.at[c][i];
    return harness::warp_sum<kLanes>(sum);
  }
};
