// The rows are split over many blocks; a second launch adds their sums in a fixed order.
__global__ void sums_of_parts(const float* x, float* partial, int rows, int columns) {
  __shared__ float tile[8][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int first = static_cast<int>(static_cast<long long>(rows) * blockIdx.y / gridDim.y);
  const int last = static_cast<int>(static_cast<long long>(rows) * (blockIdx.y + 1) / gridDim.y);
  float sum = 0;
  if (column < columns) {
#pragma unroll 8
    for (int row = first + threadIdx.y; row < last; row += 8) sum += x[static_cast<long long>(row) * columns + column];
  }
  tile[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || column >= columns) return;
  for (int i = 1; i < 8; ++i) sum += tile[i][threadIdx.x];
  partial[blockIdx.y * columns + column] = sum;
}

__global__ void column_mean(const float* partial, float* out, int rows, int columns, int parts) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= columns) return;
  float sum = 0;
#pragma unroll 8
  for (int part = 0; part < parts; ++part) sum += partial[part * columns + column];
  out[column] = sum / rows;
}
