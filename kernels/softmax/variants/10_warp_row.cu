#include <harness/convert.cuh>
#include <harness/infinity.cuh>
#include <harness/warp.cuh>

// Idea: a warp takes a row. Neighbouring lanes read neighbouring elements (coalesced), and the 32 partial maxima and
// sums meet through shuffles: no shared memory, no barrier.
// Cost: still three passes over x, the later ones mostly from cache; 5 shuffles for each of the two reductions.
// Stops: on long rows (a lane walks N/32 elements one by one) and when M warps do not fill the device.
template <class T>
__global__ void softmax(const T* x, T* y, int rows, int columns) {
  const int lane = threadIdx.x % 32;
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;  // the same for all lanes of a warp
  const T* in = x + static_cast<long long>(row) * columns;
  T* out = y + static_cast<long long>(row) * columns;

  float largest = -harness::kInfinity;
  for (int j = lane; j < columns; j += 32) largest = fmaxf(largest, harness::to_float(in[j]));
  largest = harness::warp_max(largest);

  float sum = 0;
  for (int j = lane; j < columns; j += 32) sum += expf(harness::to_float(in[j]) - largest);
  const float inverse = 1.0f / harness::warp_sum(sum);

  for (int j = lane; j < columns; j += 32)
    out[j] = harness::from_float<T>(expf(harness::to_float(in[j]) - largest) * inverse);
}
