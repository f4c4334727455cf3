#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// Attention of one query row (b, h, i) in double, by its definition. One thread a row.
//   s_j = scale * <q_i, k_j>,  o_i = sum_j exp(s_j - max) v_j / sum_j exp(s_j - max),  lse_i = max + log(sum)
// over the visible keys j: all, or with CAUSAL those with j <= i + Sk - Sq (the last query sees the last key).
// Query head h reads key and value head h / (Hq / Hkv). A row that sees no key has o = 0 and lse = -inf.
// Nothing is rounded but the outputs. lse is null where the workload does not ask for it. D is at most 256.
template <class T>
__device__ double score(const double* query, const T* key, double scale, long long D) {
  double sum = 0;
  for (long long d = 0; d < D; ++d) sum += query[d] * harness::to_float(key[d]);
  return scale * sum;
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

  double query[256], sum_of_values[256];
  for (long long d = 0; d < D; ++d) query[d] = harness::to_float(q[row * D + d]);
  for (long long d = 0; d < D; ++d) sum_of_values[d] = 0;

  double largest = -harness::kInfinity;
  for (long long j = 0; j < visible; ++j) largest = fmax(largest, score(query, keys + j * D, scale, D));
  double sum = 0;
  for (long long j = 0; j < visible; ++j) {
    const double p = exp(score(query, keys + j * D, scale, D) - largest);
    sum += p;
    for (long long d = 0; d < D; ++d) sum_of_values[d] += p * harness::to_float(values[j * D + d]);
  }
  for (long long d = 0; d < D; ++d) o[row * D + d] = sum > 0 ? sum_of_values[d] / sum : 0.0;
  if (lse) lse[row] = sum > 0 ? largest + log(sum) : -harness::kInfinity;
}
