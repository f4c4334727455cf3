#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// Idea: one thread a query row. A first pass over the keys finds the largest score, a second one computes the scores
// again, their exponentials and the weighted sum of the values.
// Cost: 3 * Sk * D multiply-adds one after the other in each thread, K and V straight from cache: all threads of a
// block read the same key at the same time, and nothing is kept close. Stops: at latency. Sq * Hq * B threads are few
// for small shapes, and each is a long chain.
template <class T, int D>
__device__ float dot(const T* a, const T* b) {
  float sum = 0;
#pragma unroll 8
  for (int d = 0; d < D; ++d) sum += harness::to_float(a[d]) * harness::to_float(b[d]);
  return sum;
}

template <class T, int D>
__global__ void attention_naive(const T* q, const T* k, const T* v, T* o, float* lse, float scale, int Hq, int Hkv,
                                int Sq, int Sk, int causal) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= Sq) return;
  const long long head = static_cast<long long>(blockIdx.z) * Hq + blockIdx.y;
  const long long kv_head = static_cast<long long>(blockIdx.z) * Hkv + blockIdx.y / (Hq / Hkv);
  const T* query = q + (head * Sq + i) * D;
  const T* keys = k + kv_head * Sk * D;
  const T* values = v + kv_head * Sk * D;
  const int visible = causal ? min(Sk, max(0, i + Sk - Sq + 1)) : Sk;

  float largest = -harness::kInfinity;
  for (int j = 0; j < visible; ++j)
    largest = fmaxf(largest, scale * dot<T, D>(query, keys + static_cast<long long>(j) * D));

  float sum = 0, out[D];
#pragma unroll
  for (int d = 0; d < D; ++d) out[d] = 0;
  for (int j = 0; j < visible; ++j) {
    const float p = expf(scale * dot<T, D>(query, keys + static_cast<long long>(j) * D) - largest);
    const T* value = values + static_cast<long long>(j) * D;
    sum += p;
#pragma unroll
    for (int d = 0; d < D; ++d) out[d] += p * harness::to_float(value[d]);
  }

  const float inverse = sum > 0 ? 1.0f / sum : 0.0f;  // a row that sees no key is 0
#pragma unroll
  for (int d = 0; d < D; ++d) o[(head * Sq + i) * D + d] = harness::from_float<T>(out[d] * inverse);
  if (lse) lse[head * Sq + i] = sum > 0 ? largest + logf(sum) : -harness::kInfinity;
}
