#include <cuda_fp8.h>

#include <harness/mma.cuh>
#include <harness/vec.cuh>

// Idea: every number of e4m3 is one of fp16, so the tensor cores of any GPU since Ampere multiply them, exactly, once
// they are widened: a warp reads 16 bytes a lane, and two conversions make four halves of four bytes. A block computes
// 64 x 64 elements of d; four warps have 32 x 32 of them each. The products of 128 of K are scaled and added to the
// sums, row by row. Cost: a conversion for each two elements that a warp reads, and each is read by two warps; loads
// wait for each other. Stops: at the conversions and at half the rate of 8-bit products.
namespace {

constexpr int kDeep = 64, kPitch = kDeep + 16;  // bytes: rows of a slice in shared memory, in different banks

/// 64 rows of a slice, of which those outside are 0.
__device__ void fetch(unsigned char* tile, const __nv_fp8_e4m3* from, int first, int rows, int k, int K) {
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    const int at = threadIdx.x + 128 * n, row = at / 4, column = at % 4 * 16;
    uint4 bytes = {};
    if (first + row < rows)
      bytes = *reinterpret_cast<const uint4*>(from + static_cast<long long>(first + row) * K + k + column);
    *reinterpret_cast<uint4*>(tile + row * kPitch + column) = bytes;
  }
}

/// Two neighbouring elements as a pair of halves.
__device__ unsigned pair_at(const unsigned char* tile, int row, int column) {
  const auto two = *reinterpret_cast<const __nv_fp8x2_storage_t*>(tile + row * kPitch + column);
  const __half2_raw wide = __nv_cvt_fp8x2_to_halfraw2(two, __NV_E4M3);
  return static_cast<unsigned>(wide.x) | static_cast<unsigned>(wide.y) << 16;
}

}  // namespace

__global__ void __launch_bounds__(128) gemm_mma(const __nv_fp8_e4m3* a, const float* a_scale, const __nv_fp8_e4m3* b,
                                                const float* b_scale, __nv_bfloat16* d, int M, int N, int K) {
  __shared__ __align__(16) unsigned char left[64 * kPitch], right[64 * kPitch];
  const int first_row = blockIdx.y * 64, first_column = blockIdx.x * 64;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, group = lane / 4, pair = lane % 4;
  const int own_row = warp / 2 * 32, own_column = warp % 2 * 32;
  float sum[2][4][4] = {};
  for (int k = 0; k < K; k += 128) {
    float part[2][4][4] = {};
    for (int slice = 0; slice < 128; slice += kDeep) {
      __syncthreads();
      fetch(left, a, first_row, M, k + slice, K);
      fetch(right, b, first_column, N, k + slice, K);
      __syncthreads();
#pragma unroll
      for (int step = 0; step < kDeep; step += 16) {
        unsigned of_a[2][4], of_b[4][2];
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int r = 0; r < 4; ++r)
            of_a[i][r] = pair_at(left, own_row + 16 * i + group + r % 2 * 8, step + 2 * pair + r / 2 * 8);
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
          for (int r = 0; r < 2; ++r) of_b[j][r] = pair_at(right, own_column + 8 * j + group, step + 2 * pair + 8 * r);
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
          for (int j = 0; j < 4; ++j) harness::mma_m16n8k16<__half>(part[i][j], of_a[i], of_b[j][0], of_b[j][1]);
      }
    }
    const float of_columns = b_scale[(first_column + own_column) / 128 * (K / 128) + k / 128];
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
      for (int h = 0; h < 2; ++h) {
        const int row = min(first_row + own_row + 16 * i + group + 8 * h, M - 1);
        const float scale = a_scale[static_cast<long long>(k / 128) * M + row] * of_columns;
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
          for (int e = 0; e < 2; ++e) sum[i][j][2 * h + e] += part[i][j][2 * h + e] * scale;
      }
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int h = 0; h < 2; ++h)
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int row = first_row + own_row + 16 * i + group + 8 * h,
                  column = first_column + own_column + 8 * j + 2 * pair;
        if (row < M && column < N)
          *reinterpret_cast<unsigned*>(d + static_cast<long long>(row) * N + column) =
              harness::pack<__nv_bfloat16>(sum[i][j][2 * h], sum[i][j][2 * h + 1]);
      }
}
