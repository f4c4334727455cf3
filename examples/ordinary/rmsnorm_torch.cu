#include <c10/cuda/CUDAGuard.h>
#include <torch/all.h>
#include <ATen/cuda/CUDAContext.h>
#include <cub/cub.cuh>

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

}  // namespace vision

void rms_norm(torch::Tensor& out, torch::Tensor& input, torch::Tensor& weight, double epsilon) {
  int hidden_size = input.size(-1);
  int num_tokens = input.numel() / hidden_size;
  constexpr int kBlock = 128;
  dim3 grid(num_tokens);
  dim3 block(kBlock);
  const at::cuda::OptionalCUDAGuard device_guard(device_of(input));
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_REDUCED_FLOATING_TYPES(input.scalar_type(), "rms_norm_kernel", [&] {
    vision::rms_norm_kernel<scalar_t, kBlock><<<grid, block, 0, stream>>>(
        out.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(), weight.data_ptr<scalar_t>(), epsilon, num_tokens,
        hidden_size);
  });
}
