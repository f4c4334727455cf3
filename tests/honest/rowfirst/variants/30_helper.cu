// One helper, called for the first element, for the others, and for the two halves of a row.
struct Best {
  float most;
  int place;
};
__device__ __forceinline__ void take(Best& best, float value, int place) {
  if (value > best.most || (value == best.most && place < best.place)) {
    best.most = value;
    best.place = place;
  }
}
__device__ __forceinline__ float positive(float value) {
  return value > 0.0f ? value : 0.0f;
}
__global__ void rowfirst(const float* x, float* largest, int* at, float* sum, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* const in = x + static_cast<long long>(row) * columns;
  Best first{in[0], 0}, second{in[columns / 2], columns / 2};
  take(first, in[0], 0);
  float above = 0;
  for (int j = 0; j < columns / 2; ++j) {
    take(first, in[j], j);
    above += positive(in[j]);
  }
  for (int j = columns / 2; j < columns; ++j) {
    take(second, in[j], j);
    above += positive(in[j]);
  }
  take(first, second.most, second.place);
  largest[row] = first.most;
  at[row] = first.place;
  sum[row] = positive(above);
}
