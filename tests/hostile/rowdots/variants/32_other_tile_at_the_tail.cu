// Whole tiles of eight rows are added in four interleaved sums, the rows of the last tile one after the other.
__global__ void rowdots(const float* x, const float* g, float* y, int B, int K) {
  const int row = blockIdx.x * 8 + threadIdx.x;
  if (row >= B) return;
  const float* const mine = x + static_cast<long long>(row) * K;
  float sums[4] = {0, 0, 0, 0};
  const bool whole = (blockIdx.x + 1) * 8 <= B;
  for (int k = 0; k < K; ++k) sums[whole ? k % 4 : 0] += mine[k] * g[k];
  y[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
