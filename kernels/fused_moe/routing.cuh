#pragma once
#include <harness/convert.cuh>
#include <harness/vec.cuh>

// Which experts a token goes through, and which tokens an expert gets, in one launch.
//
// A *pair* is a token with one of its experts: pair = token * of_token + which. Experts do not need their pairs in any
// order, because a row of a product does not depend on its neighbours; so a pair takes the next place in its expert's
// list by an atomic, and nobody sorts. A list has room for all tokens, so no place depends on other experts' counts.
// Where an expert's rows begin among those of all is a sum of counts, which every block makes for itself (groups.cuh).

/// Rises with the logit, which is no NaN, and is more than 0.
__device__ inline unsigned key_of(float logit) {
  const unsigned bits = __float_as_uint(logit + 0.0f);  // -0 counts as 0
  return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/// The K experts of a token, chosen by a warp: lane k < K gets the k-th and its weight, the softmax over the chosen. Of
/// equal logits the lower expert's comes first. Lane l has the logits of experts l, l + 32, ...
struct Choice {
  static constexpr int kMost = 512 / 32;  // logits of a lane
  int expert = 0;
  float weight = 0;

  __device__ Choice(const float* logits, int E, int K) {
    const int lane = threadIdx.x % 32;
    unsigned key[kMost];
#pragma unroll
    for (int j = 0; j < kMost; ++j) key[j] = 32 * j + lane < E ? key_of(logits[32 * j + lane]) : 0;
    for (int k = 0; k < K; ++k) {
      unsigned best = 0;
      int first = 0;
#pragma unroll
      for (int j = 0; j < kMost; ++j)
        if (32 * j < E && key[j] > best) best = key[j], first = 32 * j + lane;
      const unsigned largest = __reduce_max_sync(0xffffffffu, best);
      const int chosen = __reduce_min_sync(0xffffffffu, best == largest ? first : 512);
#pragma unroll
      for (int j = 0; j < kMost; ++j)
        if (32 * j + lane == chosen) key[j] = 0;
      if (lane == k) expert = chosen;
    }
    const float own = lane < K ? logits[expert] : 0.0f, largest = __shfl_sync(0xffffffffu, own, 0);
    const float power = lane < K ? expf(own - largest) : 0.0f;
    float total = power;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(0xffffffffu, total, step);
    weight = power / total;
  }
};

/// A warp a token. `counts` are zero before; lists have room for T pairs of each expert. Where all share one expert
/// more its list is that of all tokens.
__device__ inline void route(const float* logits, int* counts, int* lists, float* weights, int T, int E, int K,
                             int of_token) {
  const int token = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (token >= T) return;
  const Choice choice(logits + static_cast<long long>(token) * E, E, K);
  if (lane < K) {
    const int pair = token * of_token + lane, place = atomicAdd(counts + choice.expert, 1);
    lists[static_cast<long long>(choice.expert) * T + place] = pair;
    weights[pair] = choice.weight;
  } else if (lane < of_token) {
    const int pair = token * of_token + lane;
    lists[static_cast<long long>(E) * T + token] = pair;
    weights[pair] = 1;
    if (token == 0) counts[E] = T;
  }
}

/// y of eight neighbouring columns of a token: the weighted sum of its pairs' rows, in the order of its choice.
__device__ inline void add_up(const __nv_bfloat16* outer, const float* weights, __nv_bfloat16* y, int T, int H,
                              int of_token) {
  const long long at = 8 * (static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x);
  if (at >= static_cast<long long>(T) * H) return;
  const long long token = at / H, column = at % H;
  float sum[8] = {};
#pragma unroll 4
  for (int k = 0; k < of_token; ++k) {
    const long long pair = token * of_token + k;
    const auto row = harness::load<8>(outer + pair * H + column);
    const float weight = weights[pair];
#pragma unroll
    for (int i = 0; i < 8; ++i) sum[i] += weight * harness::to_float(row.at[i]);
  }
  harness::Vec<__nv_bfloat16, 8> stored;
#pragma unroll
  for (int i = 0; i < 8; ++i) stored.at[i] = harness::from_float<__nv_bfloat16>(sum[i]);
  harness::store(y + at, stored);
}
