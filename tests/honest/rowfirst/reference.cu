__global__ void reference(const float* x, double* largest, int* at, double* sum, long long M, long long N) {
  const long long row = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= M) return;
  const float* in = x + row * N;
  largest[row] = in[0];
  at[row] = 0;
  sum[row] = 0;
  for (long long j = 0; j < N; ++j) {
    if (in[j] > largest[row]) largest[row] = in[j], at[row] = static_cast<int>(j);
    if (in[j] > 0) sum[row] += in[j];
  }
}
