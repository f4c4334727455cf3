#pragma once
#include <harness/warp.cuh>

#include "routing.cuh"

// What a block must know where there are few tokens: it chooses the experts of all of them for itself, in shared
// memory, so that no launch has to come before the one that reads weights. A *hit* is an expert that has a token, in
// the order of the experts' numbers.
template <int TOKENS>
struct FewTokens {
  static constexpr int kPairs = 17 * TOKENS, kMostHit = kPairs < 513 ? kPairs : 513, kWords = 17;
  int hits;
  unsigned is_hit[kWords];   // a bit an expert
  unsigned users[kMostHit];  // of a hit, a bit a token
  short expert[kMostHit];    // of a hit
  short chosen[kPairs];      // an expert a pair
  float weight[kPairs];
  unsigned char which[kMostHit][TOKENS];  // the user's pair is token * of_token + which

  /// By all threads of the block. Tokens are routed by their logits, or sorted by `offsets`.
  template <bool ROUTED>
  __device__ void choose(const float* logits, const int* offsets, int T, int E, int K, int of_token) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < kWords; i += blockDim.x) is_hit[i] = 0;
    for (int i = threadIdx.x; i < kMostHit; i += blockDim.x) users[i] = 0;
    if constexpr (ROUTED) {
      for (int token = warp; token < T; token += blockDim.x / 32) {
        const Choice choice(logits + static_cast<long long>(token) * E, E, K);
        if (lane >= of_token) continue;
        chosen[token * of_token + lane] = static_cast<short>(lane < K ? choice.expert : E);
        weight[token * of_token + lane] = lane < K ? choice.weight : 1.0f;
      }
    } else {
      for (int e = threadIdx.x; e < E; e += blockDim.x)
        for (int token = offsets[e]; token < offsets[e + 1]; ++token) {
          chosen[token] = static_cast<short>(e);
          weight[token] = 1;
        }
    }
    __syncthreads();
    for (int pair = threadIdx.x; pair < T * of_token; pair += blockDim.x)
      atomicOr(&is_hit[chosen[pair] / 32], 1u << chosen[pair] % 32);
    __syncthreads();
    for (int e = threadIdx.x; e < 32 * kWords; e += blockDim.x) {
      const int hit = hits_before(e);
      if (e == 32 * kWords - 1) hits = hit;  // no such expert
      else if (is_hit[e / 32] >> e % 32 & 1) expert[hit] = static_cast<short>(e);
    }
    for (int pair = threadIdx.x; pair < T * of_token; pair += blockDim.x) {
      const int hit = hits_before(chosen[pair]), token = pair / of_token;
      which[hit][token] = static_cast<unsigned char>(pair - token * of_token);
      atomicOr(&users[hit], 1u << token);
    }
    __syncthreads();
  }

 private:
  __device__ int hits_before(int e) const {
    int count = __popc(is_hit[e / 32] & ((1u << e % 32) - 1));
    for (int word = 0; word < e / 32; ++word) count += __popc(is_hit[word]);
    return count;
  }
};

/// Eight neighbouring elements, added to a sum with eight others.
__device__ inline void multiply_add(float& sum, const harness::Vec<__nv_bfloat16, 8>& a, const float (&b)[8]) {
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += harness::to_float(a.at[i]) * b[i];
}
__device__ inline void widen(float (&to)[8], const harness::Vec<__nv_bfloat16, 8>& from) {
#pragma unroll
  for (int i = 0; i < 8; ++i) to[i] = harness::to_float(from.at[i]);
}
