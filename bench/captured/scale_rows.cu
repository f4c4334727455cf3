// A kernel as people keep it beside a PyTorch program: bench/captured/program.py compiles and launches it.
__global__ void scale_rows(const float* __restrict__ x, const float* __restrict__ w, float* __restrict__ y, int rows,
                           int cols) {
  const int row = blockIdx.x;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) y[row * cols + i] = x[row * cols + i] * w[i];
}

#ifndef __CUDACC_RTC__
void launch(const float* x, const float* w, float* y, int rows, int cols) {
  scale_rows<<<rows, 128>>>(x, w, y, rows, cols);
}
#endif
