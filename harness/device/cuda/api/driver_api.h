#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

// The part of the CUDA driver API that this room uses, declared here so that nothing of CUDA is needed to build.
// tests/device/cuda/declarations_test.cpp compares every line with the toolkit's cuda.h where one is installed.
namespace harness::cuda {

using Status = int;  // CUresult
using Device = int;  // CUdevice
using DevicePointer = unsigned long long;
using Context = struct ContextObject*;
using Module = struct ModuleObject*;
using Function = struct FunctionObject*;
using Stream = struct StreamObject*;
using Event = struct EventObject*;
using Graph = struct GraphObject*;
using GraphExec = struct GraphExecObject*;

struct Uuid {
  unsigned char bytes[16];
};

/// CUlaunchAttribute: the value is a union of 64 bytes; a cluster is three unsigned at its start, the other
/// two an int.
struct LaunchAttribute {
  int id = 0;
  char padding[4] = {};
  alignas(8) unsigned int value[16] = {};
};

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned int grid_x = 1, grid_y = 1, grid_z = 1;
  unsigned int block_x = 1, block_y = 1, block_z = 1;
  unsigned int shared_bytes = 0;
  Stream stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned int attribute_count = 0;
};

/// CUtensorMap: opaque, aligned to 64 bytes.
struct alignas(64) TensorMapBits {
  unsigned long long word[16] = {};
};

/// CUmemAllocationProp of ordinary memory on one device.
struct AllocationProperties {
  int type = 1, handle_types = 0;          // CU_MEM_ALLOCATION_TYPE_PINNED, none
  int location_type = 1, location_id = 0;  // CU_MEM_LOCATION_TYPE_DEVICE
  void* windows = nullptr;
  unsigned char flags[8] = {};
};

/// CUmemAccessDesc.
struct AccessDescription {
  int location_type = 1, location_id = 0;
  int access = 0;
};

// X(our name, the toolkit's name, value)
#define HARNESS_DRIVER_CONSTANTS(X)                                                       \
  X(kSuccess, CUDA_SUCCESS, 0)                                                            \
  X(kInvalidValue, CUDA_ERROR_INVALID_VALUE, 1)                                           \
  X(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY, 2)                                            \
  X(kStubLibrary, CUDA_ERROR_STUB_LIBRARY, 34)                                            \
  X(kDeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE, 46)                                \
  X(kNoDevice, CUDA_ERROR_NO_DEVICE, 100)                                                 \
  X(kInvalidDevice, CUDA_ERROR_INVALID_DEVICE, 101)                                       \
  X(kInvalidImage, CUDA_ERROR_INVALID_IMAGE, 200)                                         \
  X(kNoBinaryForGpu, CUDA_ERROR_NO_BINARY_FOR_GPU, 209)                                   \
  X(kEccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE, 214)                                 \
  X(kNvlinkUncorrectable, CUDA_ERROR_NVLINK_UNCORRECTABLE, 220)                           \
  X(kNotFound, CUDA_ERROR_NOT_FOUND, 500)                                                 \
  X(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS, 700)                                     \
  X(kLaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701)                       \
  X(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT, 702)                                       \
  X(kContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED, 709)                            \
  X(kAssert, CUDA_ERROR_ASSERT, 710)                                                      \
  X(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR, 714)                            \
  X(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION, 715)                             \
  X(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS, 716)                               \
  X(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE, 717)                          \
  X(kInvalidPc, CUDA_ERROR_INVALID_PC, 718)                                               \
  X(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED, 719)                                         \
  X(kCooperativeLaunchTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720)             \
  X(kNotPermitted, CUDA_ERROR_NOT_PERMITTED, 800)                                         \
  X(kDriverNotSupported, CUDA_ERROR_NOT_SUPPORTED, 801)                                   \
  X(kInvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE, 912)                            \
  X(kUnknown, CUDA_ERROR_UNKNOWN, 999)                                                    \
  X(kMaxThreadsPerBlock, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                    \
  X(kClockRateKhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                    \
  X(kMultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                   \
  X(kMemoryClockRateKhz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36)                       \
  X(kMemoryBusWidth, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37)                     \
  X(kL2CacheBytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                 \
  X(kMaxThreadsPerMultiprocessor, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39) \
  X(kCapabilityMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                   \
  X(kCapabilityMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                   \
  X(kMaxSharedOptin, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)           \
  X(kFunctionMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                      \
  X(kFunctionStaticShared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                        \
  X(kFunctionLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                           \
  X(kFunctionRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                    \
  X(kFunctionMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)        \
  X(kFunctionNonPortableCluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14) \
  X(kAttributeCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                            \
  X(kAttributeCluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                          \
  X(kAttributeProgrammatic, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6)     \
  X(kMemoryPinned, CU_MEM_ALLOCATION_TYPE_PINNED, 1)                                      \
  X(kMemoryOnDevice, CU_MEM_LOCATION_TYPE_DEVICE, 1)                                      \
  X(kAccessRead, CU_MEM_ACCESS_FLAGS_PROT_READ, 1)                                        \
  X(kAccessReadWrite, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)                              \
  X(kGranularityMinimum, CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0)                             \
  X(kLimitPrintfFifo, CU_LIMIT_PRINTF_FIFO_SIZE, 1)                                       \
  X(kLimitMallocHeap, CU_LIMIT_MALLOC_HEAP_SIZE, 2)                                       \
  X(kStreamNonBlocking, CU_STREAM_NON_BLOCKING, 1)                                        \
  X(kCaptureThreadLocal, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, 1)                          \
  X(kEventDefault, CU_EVENT_DEFAULT, 0)                                                   \
  X(kEventRecordExternal, CU_EVENT_RECORD_EXTERNAL, 1)                                    \
  X(kTensorMapU8, CU_TENSOR_MAP_DATA_TYPE_UINT8, 0)                                       \
  X(kTensorMapU16, CU_TENSOR_MAP_DATA_TYPE_UINT16, 1)                                     \
  X(kTensorMapU32, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2)                                     \
  X(kTensorMapS32, CU_TENSOR_MAP_DATA_TYPE_INT32, 3)                                      \
  X(kTensorMapU64, CU_TENSOR_MAP_DATA_TYPE_UINT64, 4)                                     \
  X(kTensorMapS64, CU_TENSOR_MAP_DATA_TYPE_INT64, 5)                                      \
  X(kTensorMapF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 6)                                    \
  X(kTensorMapF32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 7)                                    \
  X(kTensorMapF64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64, 8)                                    \
  X(kTensorMapBf16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 9)                                  \
  X(kTensorMapInterleaveNone, CU_TENSOR_MAP_INTERLEAVE_NONE, 0)                           \
  X(kTensorMapSwizzle128, CU_TENSOR_MAP_SWIZZLE_128B, 3)                                  \
  X(kTensorMapPromotion256, CU_TENSOR_MAP_L2_PROMOTION_L2_256B, 3)                        \
  X(kTensorMapFillZero, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE, 0)

#define X(ours, theirs, value) inline constexpr int ours = value;
HARNESS_DRIVER_CONSTANTS(X)
#undef X

// X(symbol as exported by libcuda.so.1, signature). The versioned names are what cuda.h's macros stand for.
#define HARNESS_DRIVER_CALLS(X)                                                                               \
  X(cuInit, Status(unsigned int))                                                                             \
  X(cuDriverGetVersion, Status(int*))                                                                         \
  X(cuGetErrorName, Status(Status, const char**))                                                             \
  X(cuGetErrorString, Status(Status, const char**))                                                           \
  X(cuDeviceGetCount, Status(int*))                                                                           \
  X(cuDeviceGet, Status(Device*, int))                                                                        \
  X(cuDeviceGetName, Status(char*, int, Device))                                                              \
  X(cuDeviceGetPCIBusId, Status(char*, int, Device))                                                          \
  X(cuDeviceGetUuid_v2, Status(Uuid*, Device))                                                                \
  X(cuDeviceTotalMem_v2, Status(std::size_t*, Device))                                                        \
  X(cuDeviceGetAttribute, Status(int*, int, Device))                                                          \
  X(cuDevicePrimaryCtxRetain, Status(Context*, Device))                                                       \
  X(cuDevicePrimaryCtxRelease_v2, Status(Device))                                                             \
  X(cuCtxSetCurrent, Status(Context))                                                                         \
  X(cuCtxGetDevice, Status(Device*))                                                                          \
  X(cuCtxSetLimit, Status(int, std::size_t))                                                                  \
  X(cuMemGetInfo_v2, Status(std::size_t*, std::size_t*))                                                      \
  X(cuMemAlloc_v2, Status(DevicePointer*, std::size_t))                                                       \
  X(cuMemFree_v2, Status(DevicePointer))                                                                      \
  X(cuMemGetAllocationGranularity, Status(std::size_t*, const AllocationProperties*, int))                    \
  X(cuMemCreate, Status(unsigned long long*, std::size_t, const AllocationProperties*, unsigned long long))   \
  X(cuMemRelease, Status(unsigned long long))                                                                 \
  X(cuMemAddressReserve, Status(DevicePointer*, std::size_t, std::size_t, DevicePointer, unsigned long long)) \
  X(cuMemAddressFree, Status(DevicePointer, std::size_t))                                                     \
  X(cuMemMap, Status(DevicePointer, std::size_t, std::size_t, unsigned long long, unsigned long long))        \
  X(cuMemUnmap, Status(DevicePointer, std::size_t))                                                           \
  X(cuMemSetAccess, Status(DevicePointer, std::size_t, const AccessDescription*, std::size_t))                \
  X(cuMemHostRegister_v2, Status(void*, std::size_t, unsigned int))                                           \
  X(cuMemHostUnregister, Status(void*))                                                                       \
  X(cuMemcpyHtoDAsync_v2, Status(DevicePointer, const void*, std::size_t, Stream))                            \
  X(cuMemcpyDtoHAsync_v2, Status(void*, DevicePointer, std::size_t, Stream))                                  \
  X(cuMemcpyDtoDAsync_v2, Status(DevicePointer, DevicePointer, std::size_t, Stream))                          \
  X(cuMemsetD8Async, Status(DevicePointer, unsigned char, std::size_t, Stream))                               \
  X(cuModuleLoadData, Status(Module*, const void*))                                                           \
  X(cuModuleUnload, Status(Module))                                                                           \
  X(cuModuleGetFunction, Status(Function*, Module, const char*))                                              \
  X(cuModuleGetGlobal_v2, Status(DevicePointer*, std::size_t*, Module, const char*))                          \
  X(cuFuncGetAttribute, Status(int*, int, Function))                                                          \
  X(cuFuncSetAttribute, Status(Function, int, int))                                                           \
  X(cuLaunchKernelEx, Status(const LaunchConfig*, Function, void**, void**))                                  \
  X(cuStreamCreate, Status(Stream*, unsigned int))                                                            \
  X(cuStreamDestroy_v2, Status(Stream))                                                                       \
  X(cuStreamSynchronize, Status(Stream))                                                                      \
  X(cuStreamBeginCapture_v2, Status(Stream, int))                                                             \
  X(cuStreamEndCapture, Status(Stream, Graph*))                                                               \
  X(cuGraphInstantiateWithFlags, Status(GraphExec*, Graph, unsigned long long))                               \
  X(cuGraphLaunch, Status(GraphExec, Stream))                                                                 \
  X(cuGraphExecDestroy, Status(GraphExec))                                                                    \
  X(cuGraphDestroy, Status(Graph))                                                                            \
  X(cuEventCreate, Status(Event*, unsigned int))                                                              \
  X(cuEventDestroy_v2, Status(Event))                                                                         \
  X(cuEventRecord, Status(Event, Stream))                                                                     \
  X(cuEventRecordWithFlags, Status(Event, Stream, unsigned int))                                              \
  X(cuEventElapsedTime, Status(float*, Event, Event))

// Absent from older drivers: a null pointer there, and the caller goes without.
#define HARNESS_OPTIONAL_DRIVER_CALLS(X)                                                                   \
  X(cuFuncGetParamInfo, Status(Function, std::size_t, std::size_t*, std::size_t*))                         \
  X(cuCtxResetPersistingL2Cache, Status())                                                                 \
  X(cuTensorMapEncodeTiled,                                                                                \
    Status(TensorMapBits*, int, unsigned int, void*, const unsigned long long*, const unsigned long long*, \
           const unsigned int*, const unsigned int*, int, int, int, int))                                  \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor, Status(int*, Function, int, std::size_t))                 \
  X(cuOccupancyMaxActiveClusters, Status(int*, Function, const LaunchConfig*))

/// The resolved entry points. Tests fill one with a driver that lives in memory.
struct DriverApi {
#define X(symbol, ...) std::add_pointer_t<__VA_ARGS__> symbol = nullptr;
  HARNESS_DRIVER_CALLS(X)
  HARNESS_OPTIONAL_DRIVER_CALLS(X)
#undef X
};

/// Why there is no driver, or the driver: exactly one of the two.
struct DriverLibrary {
  const DriverApi* api = nullptr;
  std::string missing;  // one sentence
};

/// Opens libcuda.so.1 on the first call and stays open until the process ends. cuInit has not been called.
const DriverLibrary& driver_library();

}  // namespace harness::cuda
