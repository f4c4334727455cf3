__global__ void embedding_bag(const float* table, const int* picks, float* out, long long bags, long long picks_of_bag,
                              long long rows, long long columns) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= bags * columns) return;
  const long long bag = i / columns, column = i % columns;
  float sum = 0;
  for (long long k = 0; k < picks_of_bag; ++k) sum += table[picks[bag * picks_of_bag + k] * columns + column];
  out[i] = sum;
}
