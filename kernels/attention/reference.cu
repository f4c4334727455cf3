#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// Attention of one query row (b, h, i) in double, by its definition. One thread a row.
//   s_j = scale * <q_i, k_j>,  o_i = sum_j exp(s_j - max) v_j / sum_j exp(s_j - max),  lse_i = max + log(sum)
// over the visible keys j: all, or with CAUSAL those with j <= i + Sk - Sq (the last query sees the last key).
// Query head h reads key and value head h / (Hq / Hkv). A row that sees no key has o = 0 and lse = -inf.
// Nothing is rounded but the outputs. lse is null where the workload does not ask for it. D is at most 256.
//
// Keys are taken kKeys at a time, so that each element of the query and of the sums is loaded once for all of them: the
// two are too long for registers. Sums are added in the order of the keys, and of the columns, as the definition says.
constexpr int kKeys = 16;

/// Scores of `count` keys from `keys` on, at most kKeys; the others are not to be used.
template <class T>
__device__ void score(double (&s)[kKeys], const double* query, const T* keys, long long count, double scale,
                      long long D) {
  const T* row[kKeys];
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    row[k] = keys + min(static_cast<long long>(k), count - 1) * D;
    s[k] = 0;
  }
  for (long long d = 0; d < D; ++d) {
    const double q = query[d];
#pragma unroll
    for (int k = 0; k < kKeys; ++k) s[k] += q * harness::to_float(row[k][d]);
  }
#pragma unroll
  for (int k = 0; k < kKeys; ++k) s[k] *= scale;
}

template <class T, bool CAUSAL>
__global__ void reference(const T* q, const T* k, const T* v, double* o, double* lse, float scale, long long B,
                          long long Hq, long long Hkv, long long Sq, long long Sk, long long D) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= B * Hq * Sq) return;
  const long long i = row % Sq, h = row / Sq % Hq, b = row / Sq / Hq;
  const long long kv_head = b * Hkv + h / (Hq / Hkv);
  const long long visible = CAUSAL ? min(Sk, max(0LL, i + Sk - Sq + 1)) : Sk;
  const T* keys = k + kv_head * Sk * D;
  const T* values = v + kv_head * Sk * D;

  double query[256], sum_of_values[256], s[kKeys];
  for (long long d = 0; d < D; ++d) query[d] = harness::to_float(q[row * D + d]);
  for (long long d = 0; d < D; ++d) sum_of_values[d] = 0;

  double largest = -harness::kInfinity;
  for (long long j = 0; j < visible; j += kKeys) {
    const long long count = min(static_cast<long long>(kKeys), visible - j);
    score(s, query, keys + j * D, count, scale, D);
#pragma unroll
    for (int t = 0; t < kKeys; ++t)
      if (t < count) largest = fmax(largest, s[t]);
  }
  double sum = 0;
  for (long long j = 0; j < visible; j += kKeys) {
    const long long count = min(static_cast<long long>(kKeys), visible - j);
    score(s, query, keys + j * D, count, scale, D);
#pragma unroll
    for (int t = 0; t < kKeys; ++t) {
      s[t] = t < count ? exp(s[t] - largest) : 0.0;
      sum += s[t];
    }
    const T* first = values + j * D;
    for (long long d = 0; d < D; ++d) {
      double total = sum_of_values[d];
#pragma unroll
      for (int t = 0; t < kKeys; ++t)
        if (t < count) total += s[t] * harness::to_float(first[t * D + d]);
      sum_of_values[d] = total;
    }
  }
  for (long long d = 0; d < D; ++d) o[row * D + d] = sum > 0 ? sum_of_values[d] / sum : 0.0;
  if (lse) lse[row] = sum > 0 ? largest + log(sum) : -harness::kInfinity;
}
