// The original's own source with double in the place of each floating type.
#include <harness/adopted.cuh>
#include <harness/wide_begin.cuh>
// The original as a function of the device: `reference` calls it in the original's own launch.
#include <harness/as_device_begin.cuh>
#include "variants/00_original.cu"
#include <harness/as_device_end.cuh>

#include <harness/wide_end.cuh>

__global__ void reference(const double* x, double* y, long long harness_rows, long long harness_cols) {
  row_softmax(x, y, static_cast<int>(harness_rows), static_cast<int>(harness_cols));
}
