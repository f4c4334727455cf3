// A first kernel of row_softmax: one thread an element, each finds the maximum and the sum of its row.
__global__ void row_softmax(const float* x, float* out, long long rows, long long columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const float* row = x + i / columns * columns;
  float most = row[0], sum = 0;
  for (long long c = 1; c < columns; ++c) most = fmaxf(most, row[c]);
  for (long long c = 0; c < columns; ++c) sum += expf(row[c] - most);
  out[i] = expf(x[i] - most) / sum;
}
