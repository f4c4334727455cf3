#include <harness/convert.cuh>
#include <harness/infinity.cuh>

#include "sequences.cuh"

// Idea: one thread a query row. It finds its sequence in the list of their starts. A first pass over the keys that it
// sees finds the largest logit, a second one computes the scores again, their exponentials and the weighted sum of the
// values. The sink is a logit from the beginning: no exponential can overflow. Cost: 3 D multiply-adds a visible pair,
// one after the other in each thread, K and V straight from cache. Threads of a warp whose windows lie apart read
// different keys at the same time. Stops: at latency, and at the longest sequence: a thread with 10,000 keys has 10,000
// steps.
template <class T, int D>
__device__ float dot(const T* a, const T* b) {
  float sum = 0;
#pragma unroll 8
  for (int d = 0; d < D; ++d) sum += harness::to_float(a[d]) * harness::to_float(b[d]);
  return sum;
}

template <class T, int D>
__global__ void attention_naive(const T* q, const T* k, const T* v, const int* cu_q, const int* cu_k,
                                const float* sinks, T* o, float scale, float cap, int B, int Tq, int Hq, int Hkv,
                                int window, int causal) {
  const int token = blockIdx.x * blockDim.x + threadIdx.x, h = blockIdx.y;
  if (token >= Tq) return;
  const int b = sequence_of(cu_q, B, token), first_key = cu_k[b], keys = cu_k[b + 1] - first_key;
  const int position = token - cu_q[b + 1] + keys;
  const Sight sight{window, causal != 0};
  const int begin = sight.first(position), end = sight.end(position, keys);

  const long long row = static_cast<long long>(token) * Hq + h, pitch = static_cast<long long>(Hkv) * D;
  const T* query = q + row * D;
  const T* own_keys = k + first_key * pitch + h / (Hq / Hkv) * D;
  const T* own_values = v + first_key * pitch + h / (Hq / Hkv) * D;
  const auto score = [&](int j) {
    const float s = scale * dot<T, D>(query, own_keys + j * pitch);
    return cap > 0 ? cap * tanhf(s / cap) : s;
  };

  float largest = sinks ? sinks[h] : -harness::kInfinity;
  for (int j = begin; j < end; ++j) largest = fmaxf(largest, score(j));

  float sum = sinks ? expf(sinks[h] - largest) : 0.0f, out[D];
#pragma unroll
  for (int d = 0; d < D; ++d) out[d] = 0;
  for (int j = begin; j < end; ++j) {
    const float p = expf(score(j) - largest);
    const T* value = own_values + j * pitch;
    sum += p;
#pragma unroll
    for (int d = 0; d < D; ++d) out[d] += p * harness::to_float(value[d]);
  }
  const float inverse = sum > 0 ? 1.0f / sum : 0.0f;  // a row that sees no key is 0
#pragma unroll
  for (int d = 0; d < D; ++d) o[row * D + d] = harness::from_float<T>(out[d] * inverse);
}
