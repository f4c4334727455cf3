// From here to <harness/as_device_end.cuh> a kernel is a function of the device, which another kernel can call. No
// include guard: it may stand several times. (NVRTC does not know push_macro.)
#undef __global__
#define __global__ __device__
#undef __launch_bounds__
#define __launch_bounds__(...)
