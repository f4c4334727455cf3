#pragma once

// cub::Sum, Max and Min, which files of older toolkits use and CCCL 3 has no more. `harness adopt` includes it where a
// kernel says one of them.
#if __has_include(<cub/version.cuh>)
#include <cub/version.cuh>
#if CUB_VERSION >= 300000
namespace cub {
struct Sum {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Max {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  __host__ __device__ T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
}  // namespace cub
#endif
#endif
