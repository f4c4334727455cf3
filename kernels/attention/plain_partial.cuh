#pragma once
#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// What the first launch of a variant that splits the keys must leave, by its definition: one thread a partial result,
// in double. Split s of a row attends to the keys of its own range, whole tiles of BLOCK_N; the result is relative to
// the range's own maximum, in units of log2, and not divided by its sum. The output of a range without a visible key is
// of no consequence: the second launch weighs it with 0 x its value, so it must be finite, and is compared with 0.
template <class T, int D>
__global__ void plain_partial(const T* q, const T* k, const T* v, float* o_partial, float* max_partial,
                              float* sum_partial, float scale, int B, int Hq, int Hkv, int Sq, int Sk, int causal,
                              int splits, int block_n) {
  const long long partial = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (partial >= static_cast<long long>(B) * Hq * Sq * splits) return;
  const int split = static_cast<int>(partial % splits);
  const long long row = partial / splits;
  const long long i = row % Sq, h = row / Sq % Hq, b = row / Sq / Hq;
  const long long kv_head = b * Hkv + h / (Hq / Hkv);
  const int tiles = (Sk + block_n - 1) / block_n;
  const int range = (tiles + splits - 1) / splits * block_n;
  const long long visible = causal ? max(0LL, i + Sk - Sq + 1) : Sk;
  const long long begin = static_cast<long long>(split) * range;
  const long long end = min(min(static_cast<long long>(Sk), begin + range), visible);
  const double log2e = 1.4426950408889634;

  double largest = -harness::kInfinity;
  for (int pass = 0; pass < 2; ++pass) {
    double sum = 0, out[D] = {};
    for (long long j = begin; j < end; ++j) {
      double score = 0;
      for (int d = 0; d < D; ++d)
        score +=
            static_cast<double>(harness::to_float(q[row * D + d])) * harness::to_float(k[(kv_head * Sk + j) * D + d]);
      score *= scale * log2e;
      if (pass == 0) {
        largest = fmax(largest, score);
        continue;
      }
      const double p = exp2(score - largest);
      sum += p;
      for (int d = 0; d < D; ++d) out[d] += p * harness::to_float(v[(kv_head * Sk + j) * D + d]);
    }
    if (pass == 0) continue;
    max_partial[partial] = static_cast<float>(largest);
    sum_partial[partial] = static_cast<float>(sum);
    for (int d = 0; d < D; ++d) o_partial[partial * D + d] = static_cast<float>(out[d]);
  }
}
