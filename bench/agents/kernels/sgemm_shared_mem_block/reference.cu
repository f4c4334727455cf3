// The original's own source with double in the place of each floating type.
#include <harness/adopted.cuh>
#include <harness/wide_begin.cuh>
// The original as a function of the device: `reference` calls it in the original's own launch.
#include <harness/as_device_begin.cuh>
#include "variants/00_original.cu"
#include <harness/as_device_end.cuh>

#include <harness/wide_end.cuh>

__global__ void reference(float alpha, const double* A, const double* B, float beta, double* C, long long harness_M, long long harness_N, long long harness_K) {
  sgemm_shared_mem_block<16>(static_cast<int>(harness_M), static_cast<int>(harness_N), static_cast<int>(harness_K), alpha, A, B, beta, C);
}
