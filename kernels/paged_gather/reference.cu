#include <harness/convert.cuh>

// out[b, j, :] = pool[block_table[b, j / block], j % block, :] for j < lengths[b]. One thread a row (b, j) of the
// output; rows past the length are not written. Values are copied, so nothing is rounded.
template <class T>
__global__ void reference(const T* pool, const int* lengths, const int* block_table, double* out, long long B,
                          long long max_pages, long long block, long long N) {
  const long long thread = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  const long long longest = max_pages * block;
  if (thread >= B * longest) return;
  const long long b = thread / longest, j = thread % longest;
  if (j >= lengths[b]) return;
  const long long page = block_table[b * max_pages + j / block];
  const T* row = pool + (page * block + j % block) * N;
  for (long long n = 0; n < N; ++n) out[thread * N + n] = harness::to_float(row[n]);
}
