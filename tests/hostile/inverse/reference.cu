__global__ void reference(const int* p, int* q, long long M, long long N) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= M * N) return;
  q[i / N * N + p[i]] = static_cast<int>(i % N);
}
