// The original's own source with double in the place of each floating type.
#include <harness/torch_types.cuh>
#include <harness/adopted.cuh>
#include <harness/wide_begin.cuh>
#define half double
// The original as a function of the device: `reference` calls it in the original's own launch.
#include <harness/as_device_begin.cuh>
#include "variants/00_original.cu"
#include <harness/as_device_end.cuh>

#undef half
#include <harness/wide_end.cuh>

__global__ void reference(double* out, const double* input, long long harness_d, long long harness_num_tokens) {
  silu_and_mul_kernel<double>(out, input, static_cast<int>(harness_d));
}
