#pragma once
#include "harness/device/cpu/execute/block.h"

namespace harness::cpu {

/// What a lane brings to ldmatrix or stmatrix (kernels/include/harness/ldmatrix.cuh has the layouts).
struct MatrixLane {
  int count;               // matrices: 1, 2 or 4
  char* row;               // used of lanes below 8 * count
  unsigned* target;        // ldmatrix: `count` registers
  const unsigned* source;  // stmatrix
};

// For the 32 lanes of a warp. Rows that absent lanes should have named are NaNs; what absent lanes should have stored
// is not stored.
void load_matrices(const BlockRunner::Records& lanes);
void load_matrices_transposed(const BlockRunner::Records& lanes);
void store_matrices(const BlockRunner::Records& lanes);
void store_matrices_transposed(const BlockRunner::Records& lanes);

}  // namespace harness::cpu
