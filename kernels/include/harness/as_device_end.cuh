// Ends what <harness/as_device_begin.cuh> began.
#undef __global__
#ifdef __HARNESS_CPU__
#define __global__
#else
#define __global__ __attribute__((global))
#endif
