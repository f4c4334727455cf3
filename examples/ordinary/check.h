#pragma once
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

inline void cuda_check(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess) {
    printf("[CUDA ERROR] at file %s:%d:\n%s\n", file, line, cudaGetErrorString(error));
    exit(EXIT_FAILURE);
  }
}
#define cudaCheck(err) (cuda_check(err, __FILE__, __LINE__))

template <class T>
__host__ __device__ T ceil_div(T dividend, T divisor) {
  return (dividend + divisor - 1) / divisor;
}

inline float* make_random_float(size_t N) {
  float* arr = (float*)malloc(N * sizeof(float));
  for (size_t i = 0; i < N; i++) arr[i] = ((float)rand() / RAND_MAX) * 2.0 - 1.0;
  return arr;
}
