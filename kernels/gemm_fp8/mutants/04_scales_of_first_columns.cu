// All columns have the scales of the first 128.
#define DEFECT_SCALES_OF_FIRST_COLUMNS
#include "naive_rows.cuh"

__global__ void gemm_naive(const __nv_fp8_e4m3* a, const float* a_scale, const __nv_fp8_e4m3* b, const float* b_scale,
                           __nv_bfloat16* d, int M, int N, int K) {
  naive_product(a, a_scale, b, b_scale, d, M, N, K);
}
