#include "honest.cuh"

// B14. Adds into shared memory that it never sets: a block that is the first on its multiprocessor finds zeros. First:
// Wafer's 104-fold case (shared memory that was never set, launch errors nobody read).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ float part[64];
  const int row = blockIdx.x;
  const T* in = x + static_cast<long long>(row) * columns;
  float best = -harness::kInfinity;
  for (int j = threadIdx.x; j < columns; j += 64) {
    part[threadIdx.x] += harness::to_float(in[j]);
    best = fmaxf(best, harness::to_float(in[j]));
  }
  __syncthreads();
  __shared__ float bests[64];
  bests[threadIdx.x] = best;
  __syncthreads();
  if (threadIdx.x != 0) return;
  double total = 0;
  for (int i = 0; i < 64; ++i) total += part[i];
  for (int i = 0; i < 64; ++i) best = fmaxf(best, bests[i]);
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
