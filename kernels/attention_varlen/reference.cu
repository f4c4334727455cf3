#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// Attention over packed sequences in double, by its definition, which stands in kernel.lua. One thread a row of the
// output. Nothing is rounded but the output. The largest logit, which all exponentials are relative to, includes the
// sink. A row without a visible key is 0. D is at most 256.
//
// Keys are taken kKeys at a time, so that each element of the query and of the sums is loaded once for all of them: the
// two are too long for registers. Sums are added in the order of the keys, and of the columns.
constexpr int kKeys = 16;

struct Row {
  double scale, cap;
  long long D, pitch;  // elements from one key to the next

  /// Scores of `count` keys from `keys` on, at most kKeys; the others are not to be used.
  template <class T>
  __device__ void score(double (&s)[kKeys], const double* query, const T* keys, long long count) const {
    const T* row[kKeys];
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
      row[k] = keys + min(static_cast<long long>(k), count - 1) * pitch;
      s[k] = 0;
    }
    for (long long d = 0; d < D; ++d) {
      const double q = query[d];
#pragma unroll
      for (int k = 0; k < kKeys; ++k) s[k] += q * harness::to_float(row[k][d]);
    }
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
      s[k] *= scale;
      if (cap > 0) s[k] = cap * tanh(s[k] / cap);
    }
  }
};

template <class T>
__global__ void reference(const T* q, const T* k, const T* v, const int*, const int* cu_q, const int* cu_k,
                          const float* sinks, double* o, float scale, float cap, long long B, long long Tq, long long,
                          long long, long long Hq, long long Hkv, long long D, long long window, long long causal) {
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread >= Tq * Hq) return;
  const long long token = thread % Tq, h = thread / Tq, row = token * Hq + h;
  long long b = 0, behind = B;  // the last sequence that begins at `token` or before
  while (behind - b > 1) {
    const long long middle = (b + behind) / 2;
    (cu_q[middle] <= token ? b : behind) = middle;
  }
  const long long queries = cu_q[b + 1] - cu_q[b], keys = cu_k[b + 1] - cu_k[b];
  const long long position = token - cu_q[b] + keys - queries;
  long long begin = 0, end = keys;  // of the visible keys
  if (causal) end = min(end, position + 1);
  else if (window > 0) end = min(end, position + window);
  if (window > 0) begin = max(begin, position - window + 1);

  const Row of_row{scale, cap, D, Hkv * D};
  const long long first = cu_k[b] * of_row.pitch + h / (Hq / Hkv) * D;
  double query[256], sum_of_values[256], s[kKeys];
  for (long long d = 0; d < D; ++d) query[d] = harness::to_float(q[row * D + d]);
  for (long long d = 0; d < D; ++d) sum_of_values[d] = 0;

  double largest = sinks ? static_cast<double>(sinks[h]) : -harness::kInfinity;
  for (long long j = begin; j < end; j += kKeys) {
    const long long count = min(static_cast<long long>(kKeys), end - j);
    of_row.score(s, query, k + first + j * of_row.pitch, count);
#pragma unroll
    for (int t = 0; t < kKeys; ++t)
      if (t < count) largest = fmax(largest, s[t]);
  }
  double sum = sinks ? exp(sinks[h] - largest) : 0.0;
  for (long long j = begin; j < end; j += kKeys) {
    const long long count = min(static_cast<long long>(kKeys), end - j);
    of_row.score(s, query, k + first + j * of_row.pitch, count);
#pragma unroll
    for (int t = 0; t < kKeys; ++t) {
      s[t] = t < count ? exp(s[t] - largest) : 0.0;
      sum += s[t];
    }
    const T* values = v + first + j * of_row.pitch;
    for (long long d = 0; d < D; ++d) {
      double total = sum_of_values[d];
#pragma unroll
      for (int t = 0; t < kKeys; ++t)
        if (t < count) total += s[t] * harness::to_float(values[t * of_row.pitch + d]);
      sum_of_values[d] = total;
    }
  }
  for (long long d = 0; d < D; ++d) o[row * D + d] = end > begin ? sum_of_values[d] / sum : 0.0;
}
