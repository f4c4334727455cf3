// Layer normalization, forward, as in a transformer: x is [B*T, C].
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"

namespace cg = cooperative_groups;

// CPU code reference: https-free, plain loops.
void layernorm_forward_cpu(float* out, float* mean, float* rstd, const float* inp, const float* weight,
                           const float* bias, int N, int C) {
  float eps = 1e-5f;
  for (int n = 0; n < N; n++) {
    const float* x = inp + n * C;
    float m = 0.0f;
    for (int i = 0; i < C; i++) m += x[i];
    m = m / C;
    float v = 0.0f;
    for (int i = 0; i < C; i++) {
      float shifted = x[i] - m;
      v += shifted * shifted;
    }
    v = v / C;
    float s = 1.0f / sqrtf(v + eps);
    for (int i = 0; i < C; i++) out[n * C + i] = (s * (x[i] - m)) * weight[i] + bias[i];
    mean[n] = m;
    rstd[n] = s;
  }
}

// One warp a row.
__global__ void layernorm_forward_kernel(float* __restrict__ out, float* __restrict__ mean, float* __restrict__ rstd,
                                         const float* __restrict__ inp, const float* __restrict__ weight,
                                         const float* __restrict__ bias, int N, int C) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  int idx = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (idx >= N) return;
  const float* x = inp + idx * C;

  float sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) sum += x[i];
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float m = sum / C;

  sum = 0.0f;
  for (int i = warp.thread_rank(); i < C; i += warp.size()) {
    float diff = x[i] - m;
    sum += diff * diff;
  }
  sum = cg::reduce(warp, sum, cg::plus<float>{});
  float s = rsqrtf(sum / C + 1e-5f);
  if (warp.thread_rank() == 0) {
    mean[idx] = m;
    rstd[idx] = s;
  }
  float* o = out + idx * C;
  for (int c = warp.thread_rank(); c < C; c += warp.size()) o[c] = s * (x[c] - m) * weight[c] + bias[c];
}

void layernorm_forward(float* out, float* mean, float* rstd, const float* inp, const float* weight, const float* bias,
                       int B, int T, int C, const int block_size) {
  const int N = B * T;
  const int grid_size = ceil_div(N * 32, block_size);
  layernorm_forward_kernel<<<grid_size, block_size>>>(out, mean, rstd, inp, weight, bias, N, C);
  cudaCheck(cudaGetLastError());
}

int main(int argc, char** argv) {
  int B = 8, T = 1024, C = 768;
  float* inp = make_random_float(B * T * C);
  float *d_out, *d_mean, *d_rstd, *d_inp, *d_weight, *d_bias;
  cudaCheck(cudaMalloc(&d_out, B * T * C * sizeof(float)));
  cudaCheck(cudaMalloc(&d_mean, B * T * sizeof(float)));
  cudaCheck(cudaMalloc(&d_rstd, B * T * sizeof(float)));
  cudaCheck(cudaMalloc(&d_inp, B * T * C * sizeof(float)));
  cudaCheck(cudaMalloc(&d_weight, C * sizeof(float)));
  cudaCheck(cudaMalloc(&d_bias, C * sizeof(float)));
  cudaCheck(cudaMemcpy(d_inp, inp, B * T * C * sizeof(float), cudaMemcpyHostToDevice));
  int block_sizes[] = {32, 64, 128, 256, 512};
  for (int i = 0; i < 5; i++) layernorm_forward(d_out, d_mean, d_rstd, d_inp, d_weight, d_bias, B, T, C, block_sizes[i]);
  free(inp);
  return 0;
}
