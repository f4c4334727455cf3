#pragma once
#include "harness_cpu/threads.h"

// Asynchronous copies to shared memory as <cuda_pipeline.h> of the toolkit declares them, over the emulation's: a copy
// may be made as late as at the wait that asks for it.

inline void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zeros = 0) {
  harness_cpu_cp_async(shared, global, static_cast<int>(bytes), static_cast<int>(bytes - zeros));
}
inline void __pipeline_commit() {
  harness_cpu_cp_async_commit();
}
inline void __pipeline_wait_prior(size_t youngest) {
  harness_cpu_cp_async_wait(static_cast<int>(youngest));
}
