// A thread an element; stores go where the permutation says.
__global__ void inverse(const int* p, int* q, int rows, int columns) {
  const int row = blockIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < columns) q[static_cast<long long>(row) * columns + p[static_cast<long long>(row) * columns + j]] = j;
}
