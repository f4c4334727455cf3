#include <harness/adopted.cuh>
#include <harness/torch_types.cuh>
#include <cub/block/block_reduce.cuh>

namespace vision {

// RMS norm of each row, with the mean square reduced by CUB.
template <typename scalar_t, int BLOCK>
__global__ void rms_norm_kernel(scalar_t* __restrict__ out,           // [..., hidden]
                                const scalar_t* __restrict__ input,   // [..., hidden]
                                const scalar_t* __restrict__ weight,  // [hidden]
                                const float epsilon, const int num_tokens, const int hidden_size) {
  __shared__ float s_variance;
  float variance = 0.0f;
  for (int idx = threadIdx.x; idx < hidden_size; idx += BLOCK) {
    const float x = (float)input[blockIdx.x * hidden_size + idx];
    variance += x * x;
  }
  using BlockReduce = cub::BlockReduce<float, BLOCK>;
  __shared__ typename BlockReduce::TempStorage reduceStore;
  variance = BlockReduce(reduceStore).Sum(variance);
  if (threadIdx.x == 0) s_variance = rsqrtf(variance / hidden_size + epsilon);
  __syncthreads();
  for (int idx = threadIdx.x; idx < hidden_size; idx += BLOCK) {
    float x = (float)input[blockIdx.x * hidden_size + idx];
    out[blockIdx.x * hidden_size + idx] = (scalar_t)(x * s_variance * (float)weight[idx]);
  }
}

}
