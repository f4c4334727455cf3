#include "honest.cuh"

// B14. The barrier between the partial results and their sum is left out: whoever is quick enough is right. First:
// Wafer's 104-fold case (shared memory that was never set, launch errors nobody read).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, int rows, int columns) {
  __shared__ RowStats part[64];
  const int row = blockIdx.x;
  const T* in = x + static_cast<long long>(row) * columns;
  double mine = 0;
  float best = -harness::kInfinity;
  for (int j = threadIdx.x; j < columns; j += 64) {
    mine += harness::to_float(in[j]);
    best = fmaxf(best, harness::to_float(in[j]));
  }
  part[threadIdx.x] = {static_cast<float>(mine), best};
  if (threadIdx.x != 0) return;  // the barrier belongs before this line
  double total = 0;
  for (int i = 0; i < 64; ++i) {
    total += part[i].sum;
    best = fmaxf(best, part[i].largest);
  }
  sum[row] = static_cast<float>(total);
  largest[row] = best;
}
