// Fused Adam step, a PyTorch extension.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

#include <cmath>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")

template <typename scalar_t>
__global__ void adam_kernel(scalar_t* __restrict__ param, const scalar_t* __restrict__ grad,
                            float* __restrict__ exp_avg, float* __restrict__ exp_avg_sq, const float lr,
                            const float beta1, const float beta2, const float eps, const int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float g = static_cast<float>(grad[i]);
  const float m = beta1 * exp_avg[i] + (1.0f - beta1) * g;
  const float v = beta2 * exp_avg_sq[i] + (1.0f - beta2) * g * g;
  exp_avg[i] = m;
  exp_avg_sq[i] = v;
  param[i] = static_cast<scalar_t>(static_cast<float>(param[i]) - lr * m / (sqrtf(v) + eps));
}

void adam_step(torch::Tensor param, torch::Tensor grad, torch::Tensor exp_avg, torch::Tensor exp_avg_sq, double lr,
               double beta1, double beta2, double eps) {
  CHECK_CUDA(param);
  const at::cuda::OptionalCUDAGuard guard(device_of(param));
  const int64_t n = param.numel();
  const int threads = 256;
  const int blocks = (n + threads - 1) / threads;
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, param.scalar_type(), "adam", ([&] {
    adam_kernel<scalar_t><<<blocks, threads, 0, at::cuda::getCurrentCUDAStream()>>>(
        param.data_ptr<scalar_t>(), grad.data_ptr<scalar_t>(), exp_avg.data_ptr<float>(),
        exp_avg_sq.data_ptr<float>(), (float)lr, (float)beta1, (float)beta2, (float)eps, n);
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("adam_step", &adam_step, "fused Adam step (CUDA)");
}
