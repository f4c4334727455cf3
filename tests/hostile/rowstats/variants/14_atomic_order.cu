#include "honest.cuh"

// B14. Sixteen blocks add their parts of a row with float atomics, in whatever order they come: two launches on the
// same inputs need not agree, and the contract says that they do. First: Wafer's 104-fold case (shared memory that was
// never set, launch errors nobody read).
template <class T>
__global__ void rowstats(const T* x, float* sum, float* largest, unsigned* codes, unsigned* arrived, int rows,
                         int columns) {
  constexpr int kParts = 16;
  const int row = blockIdx.x / kParts, part = blockIdx.x % kParts;
  __shared__ RowStats stats[64];
  const T* in = x + static_cast<long long>(row) * columns;
  float mine = 0, best = -harness::kInfinity;
  for (int j = part * 64 + threadIdx.x; j < columns; j += kParts * 64) {
    mine += harness::to_float(in[j]);
    best = fmaxf(best, harness::to_float(in[j]));
  }
  stats[threadIdx.x] = {mine, best};
  __syncthreads();
  if (threadIdx.x != 0) return;
  mine = 0;
  for (int i = 0; i < 64; ++i) {
    mine += stats[i].sum;
    best = fmaxf(best, stats[i].largest);
  }
  atomicAdd(sum + row, mine);
  // Ordered as integers once the sign is folded; zero bytes are below every encoding.
  const int bits = __float_as_int(best);
  const unsigned code = bits < 0 ? ~static_cast<unsigned>(bits) : static_cast<unsigned>(bits) | 0x80000000u;
  const unsigned highest = max(atomicMax(codes + row, code), code);
  __threadfence();
  if (atomicAdd(arrived + row, 1u) == kParts - 1) {
    const unsigned last = max(highest, atomicMax(codes + row, 0u));
    largest[row] = __int_as_float(static_cast<int>(last & 0x80000000u ? last & 0x7fffffffu : ~last));
  }
}
