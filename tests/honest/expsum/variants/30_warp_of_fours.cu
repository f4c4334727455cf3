#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/vec.cuh>

// A warp takes a row, four elements a load. Lanes without an element leave before the shuffles, which name them all.
template <class T>
__global__ void expsum(const T* x, float* s, int columns) {
  const int lane = threadIdx.x;
  if (4 * lane >= columns) return;
  const T* in = x + static_cast<long long>(blockIdx.x) * columns;
  const int lanes = min(32, columns / 4);
  float largest = -harness::kInfinity, sum = 0;
  for (int j = 4 * lane; j < columns; j += 128) {
    const harness::Vec<T, 4> v = harness::load<4>(in + j);
    for (int i = 0; i < 4; ++i) largest = fmaxf(largest, harness::to_float(v.at[i]));
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_down_sync(0xffffffffu, largest, step);
    if (lane + step < lanes) largest = fmaxf(largest, other);
  }
  largest = __shfl_sync(0xffffffffu, largest, 0);
  for (int j = 4 * lane; j < columns; j += 128) {
    const harness::Vec<T, 4> v = harness::load<4>(in + j);
    for (int i = 0; i < 4; ++i) sum += expf(harness::to_float(v.at[i]) - largest);
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_down_sync(0xffffffffu, sum, step);
    if (lane + step < lanes) sum += other;
  }
  if (lane == 0) s[blockIdx.x] = sum;
}
