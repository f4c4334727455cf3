// The original's own source with double in the place of each floating type.
#include <harness/adopted.cuh>
#include <harness/wide_begin.cuh>
// The original as a function of the device: `reference` calls it in the original's own launch.
#include <harness/as_device_begin.cuh>
#include "variants/00_original.cu"
#include <harness/as_device_end.cuh>

#include <harness/wide_end.cuh>

__global__ void reference(double* odata, const double* idata, long long harness_width, long long harness_height) {
  transpose(odata, idata, static_cast<int>(harness_width), static_cast<int>(harness_height));
}
