// The original itself: equal to it is not shown to be right.
// The original as a function of the device: `reference` calls it in the original's own launch.
#include <harness/as_device_begin.cuh>
#include "variants/00_original.cu"
#include <harness/as_device_end.cuh>

__global__ void reference(unsigned int* bins, const unsigned char* data, long long harness_count) {
  histogram256(bins, data, static_cast<unsigned long>(harness_count));
}
