// One thread a row.
__global__ void rowfirst(const float* x, float* largest, int* at, float* sum, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const in = x + static_cast<long long>(row) * columns;
  float most = in[0], positive = 0;
  int place = 0;
  for (int j = 1; j < columns; ++j)
    if (in[j] > most) most = in[j], place = j;
  for (int j = 0; j < columns; ++j)
    if (in[j] > 0.0f) positive += in[j];
  largest[row] = most;
  at[row] = place;
  sum[row] = positive;
}
