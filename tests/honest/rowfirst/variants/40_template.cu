// Whole groups and the tail are two instances of one template.
template <int kWidth, bool kTail>
__device__ void group(const float* in, int begin, int columns, float& most, int& place, float& positive) {
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    if (kTail && begin + i >= columns) return;
    const float value = in[begin + i];
    if (value > most) {
      most = value;
      place = begin + i;
    }
    positive += fmaxf(value, 0.0f);
  }
}
template <int kWidth>
__global__ void rowfirst(const float* x, float* largest, int* at, float* sum, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const in = x + static_cast<long long>(row) * columns;
  float most = in[0], positive = 0;
  int place = 0, begin = 0;
  for (; begin + kWidth <= columns; begin += kWidth) group<kWidth, false>(in, begin, columns, most, place, positive);
  if (begin < columns) group<kWidth, true>(in, begin, columns, most, place, positive);
  largest[row] = most;
  at[row] = place;
  sum[row] = positive;
}
