#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/device/cuda/library/cublas_api.h"
#include "harness/device/cuda/library/cudnn_api.h"

/// cuBLASLt in memory: multiplies column-major fp32 matrices on the host, as the real one is documented to.
struct FakeCublas {
  int algorithms = 3;                    // that its heuristics offer
  std::uint64_t used = 0;                // the algorithm of the last product
  std::vector<unsigned int> alignments;  // that the last heuristics were told, by matrix
  int live_objects = 0;
  static const harness::cuda::CublasLibrary& install(FakeCublas& cublas);
};

/// cuDNN's descriptors in memory. A plan "runs" by noting what it was given.
struct FakeCudnn {
  struct Execution {
    std::int64_t config = 0;                 // number of the engine configuration
    std::map<std::int64_t, void*> pointers;  // by the tensor's id
    std::map<std::int64_t, float> floats;    // those of them that are single fp32 numbers of the host
    harness::cuda::Stream stream = nullptr;
  };
  int configs = 3;                // that the heuristics offer
  std::int64_t unbuildable = -1;  // of these
  std::int64_t workspace_bytes = 256;
  std::vector<int> operations;  // pointwise modes, or minus the kind of any other operation, in the order of the graph
  std::vector<Execution> executions;
  int live_objects = 0, plans_built = 0;
  static const harness::cuda::CudnnLibrary& install(FakeCudnn& cudnn);
};
