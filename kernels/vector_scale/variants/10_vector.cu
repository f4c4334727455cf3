#include <harness/convert.cuh>
#include <harness/vec.cuh>

// Idea: a thread moves VEC neighbouring elements with one load and one store of up to 16 bytes.
// Cost: the same bytes as 00_naive with VEC times fewer instructions, so more bytes are in flight for each warp.
// Stops: at the memory bandwidth. The last thread may hold fewer than VEC elements and takes them one by one.
template <class T, int VEC>
__global__ void scale(const T* x, T* y, float a, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * VEC;
  if (i + VEC <= n) {
    harness::Vec<T, VEC> v = harness::load<VEC>(x + i);
#pragma unroll
    for (int j = 0; j < VEC; ++j) v.at[j] = harness::from_float<T>(a * harness::to_float(v.at[j]));
    harness::store(y + i, v);
  } else {
    for (int j = i; j < n; ++j) y[j] = harness::from_float<T>(a * harness::to_float(x[j]));
  }
}
