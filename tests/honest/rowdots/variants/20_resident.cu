// Few blocks take one row after the other: which block a row has follows from its place, what it computes does not.
__global__ void rowdots(const float* x, const float* g, float* y, int B, int K) {
  for (int row = blockIdx.x; row < B; row += gridDim.x) {
    float sum = 0;
    for (int k = threadIdx.x; k < K; k += 32) sum += x[static_cast<long long>(row) * K + k] * g[k];
    for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffff, sum, lane);
    if (threadIdx.x == 0) y[row] = sum;
  }
}
