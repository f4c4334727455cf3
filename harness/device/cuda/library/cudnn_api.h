#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "harness/device/cuda/api/driver_api.h"

// The part of cuDNN 9's backend ("graph") API that this room uses; declarations_test.cpp compares it with cudnn.h.
namespace harness::cuda {

using CudnnStatus = int;  // cudnnStatus_t
using CudnnHandle = struct CudnnContext*;
using CudnnDescriptor = void*;  // cudnnBackendDescriptor_t

// X(our name, the toolkit's name, value). kKind*: of descriptors; kType*: of the values of attributes; kAttr*:
// attributes.
#define HARNESS_CUDNN_CONSTANTS(X)                                             \
  X(kCudnnSuccess, CUDNN_STATUS_SUCCESS, 0)                                    \
  X(kCudnnFloat, CUDNN_DATA_FLOAT, 0)                                          \
  X(kCudnnHalf, CUDNN_DATA_HALF, 2)                                            \
  X(kCudnnInt32, CUDNN_DATA_INT32, 4)                                          \
  X(kCudnnBfloat16, CUDNN_DATA_BFLOAT16, 9)                                    \
  X(kCudnnBoolean, CUDNN_DATA_BOOLEAN, 11)                                     \
  X(kKindPointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR, 0)                     \
  X(kKindEngineConfig, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, 3)                  \
  X(kKindEngineHeuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR, 4)             \
  X(kKindExecutionPlan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR, 5)            \
  X(kKindPointwiseOperation, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR, 13) \
  X(kKindOperationGraph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR, 15)          \
  X(kKindVariantPack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, 16)               \
  X(kKindTensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR, 17)                          \
  X(kKindMatmul, CUDNN_BACKEND_MATMUL_DESCRIPTOR, 18)                          \
  X(kKindMatmulOperation, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR, 19)       \
  X(kKindReduction, CUDNN_BACKEND_REDUCTION_DESCRIPTOR, 21)                    \
  X(kKindReductionOperation, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR, 22) \
  X(kKindDeviceProperties, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, 38)            \
  X(kKindAttentionOperation, CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR, 41)  \
  X(kTypeHandle, CUDNN_TYPE_HANDLE, 0)                                         \
  X(kTypeDataType, CUDNN_TYPE_DATA_TYPE, 1)                                    \
  X(kTypeBoolean, CUDNN_TYPE_BOOLEAN, 2)                                       \
  X(kTypeInt64, CUDNN_TYPE_INT64, 3)                                           \
  X(kTypeFloat, CUDNN_TYPE_FLOAT, 4)                                           \
  X(kTypePointer, CUDNN_TYPE_VOID_PTR, 6)                                      \
  X(kTypeHeuristicsMode, CUDNN_TYPE_HEUR_MODE, 8)                              \
  X(kTypePointwiseMode, CUDNN_TYPE_POINTWISE_MODE, 14)                         \
  X(kTypeDescriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR, 15)                        \
  X(kTypeReductionOperator, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, 18)            \
  X(kTypeChar, CUDNN_TYPE_CHAR, 24)                                            \
  X(kAttrPointwiseMode, CUDNN_ATTR_POINTWISE_MODE, 0)                          \
  X(kAttrPointwisePrecision, CUDNN_ATTR_POINTWISE_MATH_PREC, 1)                \
  X(kAttrPointwiseAxis, CUDNN_ATTR_POINTWISE_AXIS, 9)                          \
  X(kAttrHeuristicsMode, CUDNN_ATTR_ENGINEHEUR_MODE, 200)                      \
  X(kAttrHeuristicsGraph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, 201)          \
  X(kAttrHeuristicsResults, CUDNN_ATTR_ENGINEHEUR_RESULTS, 202)                \
  X(kAttrHeuristicsDevice, CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, 204)              \
  X(kAttrPlanHandle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE, 400)                    \
  X(kAttrPlanConfig, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, 401)             \
  X(kAttrPlanWorkspace, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE, 402)         \
  X(kAttrPlanDevice, CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, 407)                \
  X(kAttrPointwiseOf, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, 750)       \
  X(kAttrPointwiseX, CUDNN_ATTR_OPERATION_POINTWISE_XDESC, 751)                \
  X(kAttrPointwiseB, CUDNN_ATTR_OPERATION_POINTWISE_BDESC, 752)                \
  X(kAttrPointwiseY, CUDNN_ATTR_OPERATION_POINTWISE_YDESC, 753)                \
  X(kAttrPointwiseAlpha1, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 754)          \
  X(kAttrPointwiseAlpha2, CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 755)          \
  X(kAttrPointwiseT, CUDNN_ATTR_OPERATION_POINTWISE_TDESC, 758)                \
  X(kAttrGraphHandle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE, 800)                   \
  X(kAttrGraphOperations, CUDNN_ATTR_OPERATIONGRAPH_OPS, 801)                  \
  X(kAttrTensorAlignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 900)               \
  X(kAttrTensorType, CUDNN_ATTR_TENSOR_DATA_TYPE, 901)                         \
  X(kAttrTensorDimensions, CUDNN_ATTR_TENSOR_DIMENSIONS, 902)                  \
  X(kAttrTensorStrides, CUDNN_ATTR_TENSOR_STRIDES, 903)                        \
  X(kAttrTensorId, CUDNN_ATTR_TENSOR_UNIQUE_ID, 906)                           \
  X(kAttrTensorVirtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL, 907)                     \
  X(kAttrTensorByValue, CUDNN_ATTR_TENSOR_IS_BY_VALUE, 908)                    \
  X(kAttrPackIds, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, 1000)                    \
  X(kAttrPackPointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, 1001)            \
  X(kAttrPackWorkspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE, 1003)               \
  X(kAttrMatmulType, CUDNN_ATTR_MATMUL_COMP_TYPE, 1500)                        \
  X(kAttrMatmulA, CUDNN_ATTR_OPERATION_MATMUL_ADESC, 1520)                     \
  X(kAttrMatmulB, CUDNN_ATTR_OPERATION_MATMUL_BDESC, 1521)                     \
  X(kAttrMatmulC, CUDNN_ATTR_OPERATION_MATMUL_CDESC, 1522)                     \
  X(kAttrMatmulOf, CUDNN_ATTR_OPERATION_MATMUL_DESC, 1523)                     \
  X(kAttrReductionOperator, CUDNN_ATTR_REDUCTION_OPERATOR, 1600)               \
  X(kAttrReductionType, CUDNN_ATTR_REDUCTION_COMP_TYPE, 1601)                  \
  X(kAttrReductionX, CUDNN_ATTR_OPERATION_REDUCTION_XDESC, 1610)               \
  X(kAttrReductionY, CUDNN_ATTR_OPERATION_REDUCTION_YDESC, 1611)               \
  X(kAttrReductionOf, CUDNN_ATTR_OPERATION_REDUCTION_DESC, 1612)               \
  X(kAttrDeviceJson, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, 2702)          \
  X(kAttrAttentionQ, CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, 2800)                \
  X(kAttrAttentionK, CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, 2801)                \
  X(kAttrAttentionV, CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, 2802)                \
  X(kAttrAttentionO, CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, 2803)                \
  X(kAttrAttentionStats, CUDNN_ATTR_OPERATION_SDPA_FWD_STATSDESC, 2804)        \
  X(kAttrAttentionScale, CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, 2805)        \
  X(kHeuristicsFallback, CUDNN_HEUR_MODE_FALLBACK, 2)                          \
  X(kHeuristicsA, CUDNN_HEUR_MODE_A, 3)                                        \
  X(kAdd, CUDNN_POINTWISE_ADD, 0)                                              \
  X(kMultiply, CUDNN_POINTWISE_MUL, 1)                                         \
  X(kDivide, CUDNN_POINTWISE_DIV, 6)                                           \
  X(kSubtract, CUDNN_POINTWISE_SUB, 9)                                         \
  X(kExponential, CUDNN_POINTWISE_EXP, 13)                                     \
  X(kLogarithm, CUDNN_POINTWISE_LOG, 15)                                       \
  X(kGreaterOrEqual, CUDNN_POINTWISE_CMP_GE, 303)                              \
  X(kIndexAlong, CUDNN_POINTWISE_GEN_INDEX, 501)                               \
  X(kSelect, CUDNN_POINTWISE_BINARY_SELECT, 601)                               \
  X(kReduceAdd, CUDNN_REDUCE_TENSOR_ADD, 0)                                    \
  X(kReduceMax, CUDNN_REDUCE_TENSOR_MAX, 3)

#define X(ours, theirs, value) inline constexpr int ours = value;
HARNESS_CUDNN_CONSTANTS(X)
#undef X

// X(symbol, signature)
#define HARNESS_CUDNN_CALLS(X)                                                                            \
  X(cudnnGetVersion, std::size_t())                                                                       \
  X(cudnnGetErrorString, const char*(CudnnStatus))                                                        \
  X(cudnnGetLastErrorString, void(char*, std::size_t))                                                    \
  X(cudnnCreate, CudnnStatus(CudnnHandle*))                                                               \
  X(cudnnDestroy, CudnnStatus(CudnnHandle))                                                               \
  X(cudnnSetStream, CudnnStatus(CudnnHandle, Stream))                                                     \
  X(cudnnBackendCreateDescriptor, CudnnStatus(int, CudnnDescriptor*))                                     \
  X(cudnnBackendDestroyDescriptor, CudnnStatus(CudnnDescriptor))                                          \
  X(cudnnBackendSetAttribute, CudnnStatus(CudnnDescriptor, int, int, std::int64_t, const void*))          \
  X(cudnnBackendGetAttribute, CudnnStatus(CudnnDescriptor, int, int, std::int64_t, std::int64_t*, void*)) \
  X(cudnnBackendFinalize, CudnnStatus(CudnnDescriptor))                                                   \
  X(cudnnBackendExecute, CudnnStatus(CudnnHandle, CudnnDescriptor, CudnnDescriptor))

struct CudnnApi {
#define X(symbol, ...) std::add_pointer_t<__VA_ARGS__> symbol = nullptr;
  HARNESS_CUDNN_CALLS(X)
#undef X
  std::string version() const;  // "9.19.0"
};

struct CudnnLibrary {
  const CudnnApi* api = nullptr;
  std::string missing;  // one sentence when there is no api
};

/// Opens libcudnn.so.9 on the first call; it stays open until the process ends.
const CudnnLibrary& cudnn_library();

}  // namespace harness::cuda
