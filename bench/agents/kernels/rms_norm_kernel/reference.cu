// The original's own source with double in the place of each floating type.
#include <cub/block/block_reduce.cuh>
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

__global__ void reference(double* out, const double* input, const double* weight, float epsilon, long long harness_num_tokens, long long harness_hidden_size) {
  vision::rms_norm_kernel<double,128>(out, input, weight, epsilon, static_cast<int>(harness_num_tokens), static_cast<int>(harness_hidden_size));
}
