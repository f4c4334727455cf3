#pragma once
#include <harness/convert.cuh>

// A mixture by sorted rows, right but for one defect that a macro chooses. A pair is a token with one of its experts, a
// row a pair in the order of experts.
#ifndef DEFECT_BETTER  // does a logit come before the best so far?
#define DEFECT_BETTER (own[e] > own[best])
#endif
#ifndef DEFECT_TOTAL  // the sum by which weights are divided
#define DEFECT_TOTAL of_chosen
#endif
#ifndef DEFECT_NEXT  // does a row belong to an expert behind this one?
#define DEFECT_NEXT (begin[expert + 1] <= row)
#endif
#ifndef DEFECT_ROWS  // rows of an expert that are computed
#define DEFECT_ROWS (begin[expert + 1] - begin[expert])
#endif
#ifndef DEFECT_DEPTH
#define DEFECT_DEPTH H
#endif
#ifndef DEFECT_INNER
#define DEFECT_INNER (gate / (1 + expf(-gate)) * up)
#endif
#ifndef DEFECT_SUM  // of an element of inner, after each product
#define DEFECT_SUM(sum) (sum)
#endif
#ifndef DEFECT_WEIGHT  // the pair whose weight counts
#define DEFECT_WEIGHT pair
#endif
#ifndef DEFECT_TIMES  // how often a pair counts
#define DEFECT_TIMES 1
#endif
#ifndef DEFECT_EXPERT  // whose weights the second product has
#define DEFECT_EXPERT expert
#endif

using Bf16 = __nv_bfloat16;

template <bool ROUTED>
__global__ void choose(const float* logits, const int* offsets, int* chosen, float* weight, int T, int E, int K,
                       int of_token) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x;
  if (token >= T) return;
  int* const experts = chosen + token * of_token;
  float* const weights = weight + token * of_token;
  if constexpr (!ROUTED) {
    int expert = 0;
    while (offsets[expert + 1] <= token) ++expert;
    experts[0] = expert;
    weights[0] = 1;
  } else {
    const float* const own = logits + token * static_cast<long long>(E);
    float of_chosen = 0, of_all = 0;
    for (int k = 0; k < K; ++k) {
      int best = -1;
      for (int e = 0; e < E; ++e) {
        bool taken = false;
        for (int before = 0; before < k; ++before) taken |= experts[before] == e;
        if (!taken && (best < 0 || DEFECT_BETTER)) best = e;
      }
      experts[k] = best;
      weights[k] = expf(own[best] - own[experts[0]]);
      of_chosen += weights[k];
    }
    for (int e = 0; e < E; ++e) of_all += expf(own[e] - own[experts[0]]);
    for (int k = 0; k < K; ++k) weights[k] /= of_all > 0 ? DEFECT_TOTAL : 1;
    if (of_token > K) {
      experts[K] = E;
      weights[K] = 1;
    }
  }
}

__global__ void order(const int* chosen, int* pairs, int* begin, int count, int experts) {
  const int expert = blockIdx.x * blockDim.x + threadIdx.x;
  if (expert > experts) return;
  int before = 0;
  for (int pair = 0; pair < count; ++pair) before += chosen[pair] < expert;
  begin[expert] = before;
  for (int pair = 0; pair < count; ++pair)
    if (chosen[pair] == expert) pairs[before++] = pair;
}

struct Row {
  int expert = 0;
  bool counts;

  __device__ Row(int row, const int* begin, int experts, int rows) {
    while (expert + 1 < experts && DEFECT_NEXT) ++expert;
    counts = row - begin[expert] < DEFECT_ROWS;
  }
};

__global__ void inner_products(const Bf16* x, const Bf16* gate_up, const int* pairs, const int* begin, Bf16* inner,
                               int H, int I, int of_token, int experts, int rows) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int row = static_cast<int>(at / I), column = static_cast<int>(at % I);
  if (row >= rows) return;
  const Row own(row, begin, experts, rows);
  const Bf16* const left = x + pairs[row] / of_token * static_cast<long long>(H);
  const Bf16* const right = gate_up + (2ll * own.expert * I + column) * H;
  float gate = 0, up = 0;
  for (int k = 0; k < DEFECT_DEPTH; ++k) {
    gate = DEFECT_SUM(gate + harness::to_float(left[k]) * harness::to_float(right[k]));
    up = DEFECT_SUM(up + harness::to_float(left[k]) * harness::to_float(right[static_cast<long long>(I) * H + k]));
  }
  inner[at] = harness::from_float<Bf16>(own.counts ? DEFECT_INNER : 0);
}

__global__ void outer_products(const Bf16* inner, const Bf16* down, const int* pairs, const int* begin, Bf16* outer,
                               int H, int I, int experts, int rows) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const int row = static_cast<int>(at / H), column = static_cast<int>(at % H);
  if (row >= rows) return;
  const int expert = Row(row, begin, experts, rows).expert;
  float sum = 0;
  for (int k = 0; k < I; ++k)
    sum += harness::to_float(inner[static_cast<long long>(row) * I + k]) *
           harness::to_float(down[(static_cast<long long>(DEFECT_EXPERT) * H + column) * I + k]);
  outer[static_cast<long long>(pairs[row]) * H + column] = harness::from_float<Bf16>(sum);
}

__global__ void add_up(const Bf16* outer, const float* weight, Bf16* y, int T, int H, int K, int of_token) {
  const long long at = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= static_cast<long long>(T) * H) return;
  float sum = 0;
  for (int k = 0; k < of_token; ++k) {
    const long long pair = at / H * of_token + k;
    sum += DEFECT_TIMES * weight[DEFECT_WEIGHT] * harness::to_float(outer[pair * H + at % H]);
  }
  y[at] = harness::from_float<Bf16>(sum);
}
