// Softmax of few long rows. Blocks work on pieces of a row; a second kernel puts the pieces together.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kPiece = 256;
#define THREADS 128

// The largest number of each piece, and the sum of exponentials below it.
__global__ void piece_stats(const float* x, float* piece_max, float* piece_sum, int cols, int pieces) {
  __shared__ float shared[THREADS];
  const int piece = blockIdx.x, row = blockIdx.y;
  const int begin = piece * kPiece, end = min(begin + kPiece, cols);
  float largest = -FLT_MAX;
  for (int i = begin + threadIdx.x; i < end; i += THREADS) largest = fmaxf(largest, x[row * cols + i]);
  shared[threadIdx.x] = largest;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  largest = shared[0];
  __syncthreads();
  float sum = 0.f;
  for (int i = begin + threadIdx.x; i < end; i += THREADS) sum += expf(x[row * cols + i] - largest);
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    piece_max[row * pieces + piece] = largest;
    piece_sum[row * pieces + piece] = shared[0];
  }
}

__global__ void normalize(const float* x, const float* piece_max, const float* piece_sum, float* y, int cols,
                          int pieces) {
  const int row = blockIdx.y;
  float largest = -FLT_MAX, sum = 0.f;
  for (int p = 0; p < pieces; ++p) largest = fmaxf(largest, piece_max[row * pieces + p]);
  for (int p = 0; p < pieces; ++p) sum += piece_sum[row * pieces + p] * expf(piece_max[row * pieces + p] - largest);
  const int begin = blockIdx.x * kPiece, end = min(begin + kPiece, cols);
  for (int i = begin + threadIdx.x; i < end; i += THREADS) y[row * cols + i] = expf(x[row * cols + i] - largest) / sum;
}

void long_softmax(const float* x, float* y, int rows, int cols, cudaStream_t stream) {
  const int pieces = (cols + kPiece - 1) / kPiece;
  float *piece_max = nullptr, *piece_sum = nullptr;
  cudaMalloc(&piece_max, rows * pieces * sizeof(float));
  cudaMalloc(&piece_sum, rows * pieces * sizeof(float));
  const dim3 grid(pieces, rows);
  piece_stats<<<grid, THREADS, 0, stream>>>(x, piece_max, piece_sum, cols, pieces);
  normalize<<<grid, THREADS, 0, stream>>>(x, piece_max, piece_sum, y, cols, pieces);
  cudaFree(piece_max);
  cudaFree(piece_sum);
}

void long_softmax_cpu(const float* x, float* y, int rows, int cols) {
  for (int r = 0; r < rows; ++r) {
    float largest = -FLT_MAX, sum = 0.f;
    for (int c = 0; c < cols; ++c) largest = fmaxf(largest, x[r * cols + c]);
    for (int c = 0; c < cols; ++c) sum += expf(x[r * cols + c] - largest);
    for (int c = 0; c < cols; ++c) y[r * cols + c] = expf(x[r * cols + c] - largest) / sum;
  }
}

int main() {
  const int rows = 8, cols = 100000;
  std::vector<float> x(rows * cols), y(rows * cols), expected(rows * cols);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i % 37) / 7.f;
  float *d_x, *d_y;
  cudaMalloc(&d_x, x.size() * sizeof(float));
  cudaMalloc(&d_y, y.size() * sizeof(float));
  cudaMemcpy(d_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
  long_softmax(d_x, d_y, rows, cols, 0);
  cudaMemcpy(y.data(), d_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost);
  long_softmax_cpu(x.data(), expected.data(), rows, cols);
  float worst = 0.f;
  for (size_t i = 0; i < y.size(); ++i) worst = fmaxf(worst, fabsf(y[i] - expected[i]));
  printf("largest difference %g\n", worst);
  return worst < 1e-6f ? 0 : 1;
}
