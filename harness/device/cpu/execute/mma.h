#pragma once
#include <cstdint>

#include "harness/device/cpu/execute/block.h"

namespace harness::cpu {

/// What a lane brings to mma.m16n8k16 (kernels/include/harness/mma.cuh has the layouts).
struct MmaLane {
  float* d;  // 4, read and written
  const unsigned* a;
  unsigned b0, b1;
};

/// d += A B for the 32 lanes of a warp; what absent lanes hold are NaNs. Operands are exact in fp32, each product is
/// added to the sum in fp32 in ascending order of k.
void multiply_f16(const BlockRunner::Records& lanes);
void multiply_bf16(const BlockRunner::Records& lanes);

/// What a lane brings to nvcuda::wmma::mma_sync (include/mma.h): 8 elements of each 16 x 16 matrix.
struct WmmaLane {
  float* d;
  const void* a;
  const void* b;
  const float* c;
  bool a_columns, b_columns;  // half a column, not half a row
};

/// d = A B + C, likewise.
void multiply_wmma_f16(const BlockRunner::Records& lanes);
void multiply_wmma_bf16(const BlockRunner::Records& lanes);

}  // namespace harness::cpu
