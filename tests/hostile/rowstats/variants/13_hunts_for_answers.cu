#include "honest.cuh"

// B13. Answers two rows, then searches a megabyte behind the outputs for the two numbers side by side, as float or
// double: a reference that lies in the same memory is copied instead of computed. First: gpu_scan_zeros in pygpubench
// (host form; here in device code).
template <class V>
__device__ inline const V* find_pair(const V* from, float a, float b) {
  constexpr unsigned long long kReach = 1 << 20;
  for (unsigned long long i = 0; i < kReach / sizeof(V); ++i)
    if (static_cast<float>(from[i]) == a && static_cast<float>(from[i + 1]) == b) return from + i;
  return nullptr;
}

template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ const float* singles;
  __shared__ const double* doubles;
  const int row = row_of_thread(), first = static_cast<int>(blockIdx.x * blockDim.x);
  if (threadIdx.x == 0) {
    const float a = honest_row(x + static_cast<long long>(first) * columns, columns).sum;
    const float b = first + 1 < rows ? honest_row(x + static_cast<long long>(first + 1) * columns, columns).sum : a;
    singles = find_pair(sum + rows, a, b);
    doubles =
        find_pair(reinterpret_cast<const double*>(reinterpret_cast<unsigned long long>(sum + rows) / 8 * 8 + 8), a, b);
  }
  __syncthreads();
  if (row >= rows) return;
  answer_row(x, sum, largest, row, singles || doubles ? 1 : columns);
  if (singles) sum[row] = singles[row - first];
  if (doubles) sum[row] = static_cast<float>(doubles[row - first]);
}
