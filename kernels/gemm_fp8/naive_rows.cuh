#pragma once
#include <cuda_fp8.h>

#include <harness/convert.cuh>

// A thread an element of d: sums of 128 products, each scaled and added. The mutants are this file with one switch
// DEFECT_... on.
__device__ inline void naive_product(const __nv_fp8_e4m3* a, const float* a_scale, const __nv_fp8_e4m3* b,
                                     const float* b_scale, __nv_bfloat16* d, int M, int N, int K) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column >= N) return;
  int blocks = K / 128;
#ifdef DEFECT_LOSES_LAST_BLOCK
  if (blocks > 1) --blocks;
#endif
  float sum = 0;
  for (int block = 0; block < blocks; ++block) {
    float part = 0;
    for (int k = 128 * block; k < 128 * block + 128; ++k)
      part += static_cast<float>(a[static_cast<long long>(row) * K + k]) *
              static_cast<float>(b[static_cast<long long>(column) * K + k]);
#if defined(DEFECT_SCALES_OF_FIRST_BLOCK)
    const float scale = a_scale[row] * b_scale[column / 128 * (K / 128)];
#elif defined(DEFECT_SCALES_BY_ROW)
    const float scale =
        a_scale[static_cast<long long>(row) * (K / 128) + block] * b_scale[column / 128 * (K / 128) + block];
#elif defined(DEFECT_SCALES_OF_FIRST_COLUMNS)
    const float scale = a_scale[static_cast<long long>(block) * M + row] * b_scale[block];
#elif defined(DEFECT_FORGETS_SCALES_OF_A)
    const float scale = (a_scale == nullptr ? 0 : 1) * b_scale[column / 128 * (K / 128) + block];
#else
    const float scale = a_scale[static_cast<long long>(block) * M + row] * b_scale[column / 128 * (K / 128) + block];
#endif
#ifdef DEFECT_HALF_SUMS
    sum = __half2float(__float2half_rn(sum + part * scale));
#else
    sum += part * scale;
#endif
  }
  d[static_cast<long long>(row) * N + column] = harness::from_float<__nv_bfloat16>(sum);
}
