// Four at a time, and what is left behind them. The first element meets itself, which turns nothing in a copy of the
// loop's first round.
__global__ void rowfirst(const float* x, float* largest, int* at, float* sum, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const in = x + static_cast<long long>(row) * columns;
  float most = in[0], positive = 0;
  int place = 0, j = 0;
  for (; j + 4 <= columns; j += 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float value = in[j + i];
      if (value > most) {
        most = value;
        place = j + i;
      }
      if (value > 0.0f) positive += value;
    }
  }
  if (j < columns) {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      if (j + i >= columns) break;
      const float value = in[j + i];
      if (value > most) most = value, place = j + i;
      if (value > 0.0f) positive += value;
    }
  }
  largest[row] = most;
  at[row] = place;
  sum[row] = positive;
}
