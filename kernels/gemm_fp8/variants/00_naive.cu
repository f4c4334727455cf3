#include "naive_rows.cuh"

// Idea: a thread an element of d. The sum of 128 products has one scale, which is applied once.
// Cost: two loads of a byte for each multiply-add; what neighbours share comes from the L1.
// Stops: at the rate of these loads. The tensor cores multiply 8-bit numbers a hundred times as fast.
__global__ void gemm_naive(const __nv_fp8_e4m3* a, const float* a_scale, const __nv_fp8_e4m3* b, const float* b_scale,
                           __nv_bfloat16* d, int M, int N, int K) {
  naive_product(a, a_scale, b, b_scale, d, M, N, K);
}
