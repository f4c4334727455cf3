// Four of each in registers, merged by an unrolled loop whose first round compares a number with itself.
#define SAME_AND_EARLIER(a, b) (mosts[a] == mosts[b] && places[a] < places[b])
__global__ void rowfirst(const float* x, float* largest, int* at, float* sum, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const in = x + static_cast<long long>(row) * columns;
  float mosts[4], sums[4];
  int places[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    mosts[i] = in[i < columns ? i : 0];
    places[i] = i < columns ? i : 0;
    sums[i] = 0;
  }
  for (int j = 0; j < columns; j += 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (j + i >= columns) continue;
      const float value = in[j + i];
      if (value > mosts[i]) mosts[i] = value, places[i] = j + i;
      sums[i] += value > 0.0f ? value : 0.0f;
    }
  }
  int best = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (mosts[i] > mosts[best] || SAME_AND_EARLIER(i, best)) best = i;
  largest[row] = mosts[best];
  at[row] = places[best];
  sum[row] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
