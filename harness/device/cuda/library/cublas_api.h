#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "harness/device/cuda/api/driver_api.h"

// The part of cuBLASLt that this room uses; declarations_test.cpp compares it with cublasLt.h.
namespace harness::cuda {

using CublasStatus = int;  // cublasStatus_t
using CublasHandle = struct CublasLtContext*;
using CublasMatmul = struct CublasLtMatmulDescription*;  // cublasLtMatmulDesc_t
using CublasLayout = struct CublasLtMatrixLayout*;
using CublasPreference = struct CublasLtMatmulPreference*;

/// cublasLtMatmulAlgo_t.
struct CublasAlgorithm {
  std::uint64_t data[8] = {};
};
/// cublasLtMatmulHeuristicResult_t.
struct CublasChoice {
  CublasAlgorithm algorithm;
  std::size_t workspace_bytes = 0;
  CublasStatus state = 0;
  float waves = 0;
  int reserved[4] = {};
};

// X(our name, the toolkit's name, value)
#define HARNESS_CUBLAS_CONSTANTS(X)                                           \
  X(kCublasSuccess, CUBLAS_STATUS_SUCCESS, 0)                                 \
  X(kCublasAllocationFailed, CUBLAS_STATUS_ALLOC_FAILED, 3)                   \
  X(kCublasNotSupported, CUBLAS_STATUS_NOT_SUPPORTED, 15)                     \
  X(kCublasComputeF32, CUBLAS_COMPUTE_32F, 68)                                \
  X(kCublasPlain, CUBLAS_OP_N, 0)                                             \
  X(kCublasTransposed, CUBLAS_OP_T, 1)                                        \
  X(kCudaF32, CUDA_R_32F, 0)                                                  \
  X(kCudaF16, CUDA_R_16F, 2)                                                  \
  X(kCudaBf16, CUDA_R_16BF, 14)                                               \
  X(kAttrMatmulTransposeA, CUBLASLT_MATMUL_DESC_TRANSA, 3)                    \
  X(kAttrMatmulTransposeB, CUBLASLT_MATMUL_DESC_TRANSB, 4)                    \
  X(kAttrMatmulEpilogue, CUBLASLT_MATMUL_DESC_EPILOGUE, 7)                    \
  X(kAttrMatmulBias, CUBLASLT_MATMUL_DESC_BIAS_POINTER, 8)                    \
  X(kAttrMatmulBiasType, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, 26)             \
  X(kEpilogueDefault, CUBLASLT_EPILOGUE_DEFAULT, 1)                           \
  X(kEpilogueBias, CUBLASLT_EPILOGUE_BIAS, 4)                                 \
  X(kEpilogueGelu, CUBLASLT_EPILOGUE_GELU, 32)                                \
  X(kEpilogueGeluBias, CUBLASLT_EPILOGUE_GELU_BIAS, 36)                       \
  X(kAttrLayoutBatch, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 5)                  \
  X(kAttrLayoutBatchStride, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 6)   \
  X(kAttrPreferenceWorkspace, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, 1)    \
  X(kAttrPreferenceAlignmentA, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, 5) \
  X(kAttrPreferenceAlignmentB, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, 6) \
  X(kAttrPreferenceAlignmentC, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, 7) \
  X(kAttrPreferenceAlignmentD, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, 8)

#define X(ours, theirs, value) inline constexpr int ours = value;
HARNESS_CUBLAS_CONSTANTS(X)
#undef X

// X(symbol, signature)
#define HARNESS_CUBLAS_CALLS(X)                                                                                        \
  X(cublasLtGetVersion, std::size_t())                                                                                 \
  X(cublasLtGetStatusString, const char*(CublasStatus))                                                                \
  X(cublasLtCreate, CublasStatus(CublasHandle*))                                                                       \
  X(cublasLtDestroy, CublasStatus(CublasHandle))                                                                       \
  X(cublasLtMatmulDescCreate, CublasStatus(CublasMatmul*, int, int))                                                   \
  X(cublasLtMatmulDescDestroy, CublasStatus(CublasMatmul))                                                             \
  X(cublasLtMatmulDescSetAttribute, CublasStatus(CublasMatmul, int, const void*, std::size_t))                         \
  X(cublasLtMatrixLayoutCreate, CublasStatus(CublasLayout*, int, std::uint64_t, std::uint64_t, std::int64_t))          \
  X(cublasLtMatrixLayoutDestroy, CublasStatus(CublasLayout))                                                           \
  X(cublasLtMatrixLayoutSetAttribute, CublasStatus(CublasLayout, int, const void*, std::size_t))                       \
  X(cublasLtMatmulPreferenceCreate, CublasStatus(CublasPreference*))                                                   \
  X(cublasLtMatmulPreferenceDestroy, CublasStatus(CublasPreference))                                                   \
  X(cublasLtMatmulPreferenceSetAttribute, CublasStatus(CublasPreference, int, const void*, std::size_t))               \
  X(cublasLtMatmulAlgoGetHeuristic, CublasStatus(CublasHandle, CublasMatmul, CublasLayout, CublasLayout, CublasLayout, \
                                                 CublasLayout, CublasPreference, int, CublasChoice*, int*))            \
  X(cublasLtMatmul, CublasStatus(CublasHandle, CublasMatmul, const void*, const void*, CublasLayout, const void*,      \
                                 CublasLayout, const void*, const void*, CublasLayout, void*, CublasLayout,            \
                                 const CublasAlgorithm*, void*, std::size_t, Stream))

struct CublasApi {
#define X(symbol, ...) std::add_pointer_t<__VA_ARGS__> symbol = nullptr;
  HARNESS_CUBLAS_CALLS(X)
#undef X
};

struct CublasLibrary {
  const CublasApi* api = nullptr;
  std::string missing;  // one sentence when there is no api
};

/// Opens libcublasLt on the first call; it stays open until the process ends.
const CublasLibrary& cublas_library();

}  // namespace harness::cuda
