// Four parts a row, however many rows there are.
__global__ void parts_of(const float* x, const float* g, float* parts, int K) {
  const int share = (K + 3) / 4, end = min(K, (static_cast<int>(blockIdx.x) + 1) * share);
  float sum = 0;
  for (int k = blockIdx.x * share + threadIdx.x; k < end; k += 32)
    sum += x[static_cast<long long>(blockIdx.y) * K + k] * g[k];
  for (int lane = 16; lane > 0; lane /= 2) sum += __shfl_down_sync(0xffffffff, sum, lane);
  if (threadIdx.x == 0) parts[blockIdx.y * 4 + blockIdx.x] = sum;
}
__global__ void sum_up(const float* parts, float* y, int B) {
  const int row = blockIdx.x * 64 + threadIdx.x;
  if (row < B) y[row] = (parts[row * 4] + parts[row * 4 + 1]) + (parts[row * 4 + 2] + parts[row * 4 + 3]);
}
