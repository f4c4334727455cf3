#include <harness/convert.cuh>
#include <harness/vec.cuh>
#include <harness/warp.cuh>

// The definition, launch by launch: a thread chooses the experts of a token; a warp computes one element of `inner` or
// of an expert's output, reading a row of weights side by side; then each token's rows are added up. A *pair* is a
// token with one of its experts.
//
// Nothing is sorted, so each pair reads all weights of its expert again, and the L2 serves tokens x K x the weights of
// an expert. With one token that is what has to be read anyway.
//
// Stops: at the L2's rate.

using Bf16 = __nv_bfloat16;

namespace {

/// The product of two rows, a multiple of 8 long, by a warp.
__device__ float dot(const Bf16* a, const Bf16* b, int depth) {
  float sum = 0;
  for (int k = 8 * (threadIdx.x % 32); k < depth; k += 256) {
    const auto of_a = harness::load<8>(a + k), of_b = harness::load<8>(b + k);
#pragma unroll
    for (int i = 0; i < 8; ++i) sum += harness::to_float(of_a.at[i]) * harness::to_float(of_b.at[i]);
  }
  return harness::warp_sum(sum);
}

}  // namespace

template <bool ROUTED>
__global__ void choose(const float* logits, const int* offsets, int* chosen, float* weight, int T, int E, int K,
                       int of_token) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= T) return;
  int* const experts = chosen + static_cast<long long>(token) * of_token;
  float* const weights = weight + static_cast<long long>(token) * of_token;
  if constexpr (!ROUTED) {
    int expert = 0;
    while (offsets[expert + 1] <= token) ++expert;
    experts[0] = expert;
    weights[0] = 1;
  } else {
    const float* const own = logits + static_cast<long long>(token) * E;
    float total = 0;
    for (int k = 0; k < K; ++k) {
      int best = -1;
      for (int e = 0; e < E; ++e) {
        bool taken = false;
        for (int before = 0; before < k; ++before) taken |= experts[before] == e;
        if (!taken && (best < 0 || own[e] > own[best])) best = e;  // of equal ones the first
      }
      experts[k] = best;
      weights[k] = expf(own[best] - own[experts[0]]);
      total += weights[k];
    }
    for (int k = 0; k < K; ++k) weights[k] /= total;
    if (of_token > K) {  // the expert that all share
      experts[K] = E;
      weights[K] = 1;
    }
  }
}

__global__ void inner_products(const Bf16* x, const Bf16* gate_up, const int* chosen, Bf16* inner, int H, int I,
                               int of_token) {
  const int across = (I + 7) / 8, column = blockIdx.x % across * 8 + threadIdx.x / 32;
  if (column >= I) return;
  const long long pair = blockIdx.x / across;
  const Bf16* const own = x + pair / of_token * H;
  const Bf16* const weights = gate_up + (2ll * chosen[pair] * I + column) * H;
  const float gate = dot(own, weights, H), up = dot(own, weights + static_cast<long long>(I) * H, H);
  if (threadIdx.x % 32 == 0) inner[pair * I + column] = harness::from_float<Bf16>(gate / (1 + expf(-gate)) * up);
}

__global__ void outer_products(const Bf16* inner, const Bf16* down, const int* chosen, Bf16* outer, int H, int I) {
  const int across = (H + 7) / 8, column = blockIdx.x % across * 8 + threadIdx.x / 32;
  if (column >= H) return;
  const long long pair = blockIdx.x / across;
  const float sum = dot(inner + pair * I, down + (static_cast<long long>(chosen[pair]) * H + column) * I, I);
  if (threadIdx.x % 32 == 0) outer[pair * H + column] = harness::from_float<Bf16>(sum);
}

__global__ void add_up(const Bf16* outer, const float* weight, Bf16* y, int H, int of_token) {
  const int across = (H + 255) / 256, column = blockIdx.x % across * 256 + threadIdx.x;
  if (column >= H) return;
  const long long token = blockIdx.x / across;
  float sum = 0;
  for (long long pair = token * of_token; pair < (token + 1) * of_token; ++pair)
    sum += weight[pair] * harness::to_float(outer[pair * H + column]);
  y[token * H + column] = harness::from_float<Bf16>(sum);
}
