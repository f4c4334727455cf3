#include <harness/convert.cuh>
#include <harness/infinity.cuh>

// A block takes a row. Threads beyond the end of the row leave at once: the barriers are for those who stay.
template <class T>
__global__ void expsum(const T* x, float* s, int columns) {
  __shared__ float part[128];
  const int mine = threadIdx.x, threads = min(static_cast<int>(blockDim.x), columns);
  if (mine >= threads) return;
  const T* in = x + static_cast<long long>(blockIdx.x) * columns;
  float largest = -harness::kInfinity;
  for (int j = mine; j < columns; j += threads) largest = fmaxf(largest, harness::to_float(in[j]));
  part[mine] = largest;
  __syncthreads();
  for (int j = 0; j < threads; ++j) largest = fmaxf(largest, part[j]);
  __syncthreads();
  float sum = 0;
  for (int j = mine; j < columns; j += threads) sum += expf(harness::to_float(in[j]) - largest);
  part[mine] = sum;
  __syncthreads();
  if (mine > 0) return;
  for (int j = 1; j < threads; ++j) sum += part[j];
  s[blockIdx.x] = sum;
}
