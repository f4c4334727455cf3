#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// Attention of one query (b, h) in double, by its definition. One thread a query.
//   s_j = scale * <q, k_j>,  o = sum_j exp(s_j - max) v_j / sum_j exp(s_j - max)   over the keys j < lengths[b]
// Key j is row j % block of page page_table[b, j / block]; query head h reads key and value head h / (Hq / Hkv). Sums
// are added in the order of the keys. Nothing is rounded but the output. D is at most 128, lengths are at least 1.
template <class T>
__global__ void reference(const T* q, const T* k_pages, const T* v_pages, const int* lengths, const int* page_table,
                          double* o, float scale, long long B, long long Hq, long long Hkv, long long D,
                          long long block, long long max_pages) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= B * Hq) return;
  const long long b = row / Hq, kv_head = row % Hq / (Hq / Hkv);
  const auto place = [&](long long j) {
    return ((page_table[b * max_pages + j / block] * block + j % block) * Hkv + kv_head) * D;
  };
  double query[128], sum_of_values[128];
  for (long long d = 0; d < D; ++d) query[d] = harness::to_float(q[row * D + d]);
  for (long long d = 0; d < D; ++d) sum_of_values[d] = 0;
  const auto score = [&](long long j) {
    const T* key = k_pages + place(j);
    double s = 0;
    for (long long d = 0; d < D; ++d) s += query[d] * harness::to_float(key[d]);
    return s * scale;
  };
  double largest = -harness::kInfinity, sum = 0;
  for (long long j = 0; j < lengths[b]; ++j) largest = fmax(largest, score(j));
  for (long long j = 0; j < lengths[b]; ++j) {
    const double weight = exp(score(j) - largest);
    const T* value = v_pages + place(j);
    for (long long d = 0; d < D; ++d) sum_of_values[d] += weight * harness::to_float(value[d]);
    sum += weight;
  }
  for (long long d = 0; d < D; ++d) o[row * D + d] = sum_of_values[d] / sum;
}
