// The original's own source with double in the place of each floating type.
#include <harness/adopted.cuh>
#include <harness/wide_begin.cuh>
// The original as a function of the device: `reference` calls it in the original's own launch.
#include <harness/as_device_begin.cuh>
#include "variants/00_original.cu"
#include <harness/as_device_end.cuh>

#include <harness/wide_end.cuh>

__global__ void reference(const double* a, const double* b, double* result, long long harness_n) {
  dot<256>(a, b, result, static_cast<int>(harness_n));
}
