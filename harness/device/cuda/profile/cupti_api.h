#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "harness/device/cuda/api/driver_api.h"

// The part of CUPTI's range profiler (libcupti.so.13) that this room uses. declarations_test.cpp compares it with the
// toolkit's headers. Every call takes one structure that begins with its own size, which ends with its last field.
namespace harness::cuda {

using CuptiStatus = int;                               // CUptiResult
using CuptiHost = struct CuptiHostObject*;             // CUpti_Profiler_Host_Object*
using CuptiRanges = struct CuptiRangeProfilerObject*;  // CUpti_RangeProfiler_Object*

// X(our name, the toolkit's name, value)
#define HARNESS_CUPTI_CONSTANTS(X)                                         \
  X(kCuptiSuccess, CUPTI_SUCCESS, 0)                                       \
  X(kCuptiInvalidParameter, CUPTI_ERROR_INVALID_PARAMETER, 1)              \
  X(kCuptiNotInitialized, CUPTI_ERROR_NOT_INITIALIZED, 15)                 \
  X(kCuptiHardwareBusy, CUPTI_ERROR_HARDWARE_BUSY, 26)                     \
  X(kCuptiNoPrivileges, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35)           \
  X(kCuptiVirtualDevice, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, 33) \
  X(kCuptiRangeProfiler, CUPTI_PROFILER_TYPE_RANGE_PROFILER, 0)            \
  X(kCuptiAutoRange, CUPTI_AutoRange, 1)                                   \
  X(kCuptiUserRange, CUPTI_UserRange, 2)                                   \
  X(kCuptiUserReplay, CUPTI_UserReplay, 3)

#define X(ours, theirs, value) inline constexpr int ours = value;
HARNESS_CUPTI_CONSTANTS(X)
#undef X

/// What every structure begins with.
struct CuptiCall {
  std::size_t bytes = 0;
  void* reserved = nullptr;
};
struct CuptiInitialize : CuptiCall {};
struct CuptiChip : CuptiCall {
  std::size_t device = 0;
  const char* name = nullptr;  // out
};
struct CuptiHostInitialize : CuptiCall {
  int type = kCuptiRangeProfiler;
  const char* chip = nullptr;
  const std::uint8_t* availability = nullptr;
  CuptiHost host = nullptr;  // out
};
struct CuptiHostEnd : CuptiCall {
  CuptiHost host = nullptr;
};
struct CuptiAddMetrics : CuptiCall {
  CuptiHost host = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0;
};
struct CuptiConfigSize : CuptiCall {
  CuptiHost host = nullptr;
  std::size_t size = 0;  // out
};
struct CuptiConfigImage : CuptiCall {
  CuptiHost host = nullptr;
  std::size_t size = 0;
  std::uint8_t* image = nullptr;  // filled
};
struct CuptiPasses : CuptiCall {
  std::size_t size = 0;
  std::uint8_t* image = nullptr;
  std::size_t passes = 0;  // out
};
struct CuptiEvaluate : CuptiCall {
  CuptiHost host = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t size = 0, range = 0;
  const char** metrics = nullptr;
  std::size_t count = 0;
  double* values = nullptr;  // filled
};
struct CuptiEnable : CuptiCall {
  Context context = nullptr;
  CuptiRanges ranges = nullptr;  // out
};
/// Of Disable, Start and PopRange.
struct CuptiOnRanges : CuptiCall {
  CuptiRanges ranges = nullptr;
};
struct CuptiDataSize : CuptiCall {
  CuptiRanges ranges = nullptr;
  const char** metrics = nullptr;
  std::size_t count = 0, most_ranges = 0;
  std::uint32_t most_nodes = 0;
  std::size_t size = 0;  // out
};
struct CuptiDataStart : CuptiCall {
  CuptiRanges ranges = nullptr;
  std::size_t size = 0;
  std::uint8_t* data = nullptr;
};
struct CuptiConfig : CuptiCall {
  CuptiRanges ranges = nullptr;
  std::size_t config_size = 0;
  const std::uint8_t* config = nullptr;
  std::size_t data_size = 0;
  std::uint8_t* data = nullptr;
  int range = kCuptiAutoRange, replay = kCuptiUserReplay;
  std::size_t most_ranges = 0;
  std::uint16_t nesting_levels = 1, least_nesting = 1;
  std::size_t pass = 0;
  std::uint16_t target_nesting = 1;
};
struct CuptiStop : CuptiCall {
  CuptiRanges ranges = nullptr;
  std::size_t pass = 0, target_nesting = 0;
  std::uint8_t all_passes = 0;  // out
};
struct CuptiPush : CuptiCall {
  CuptiRanges ranges = nullptr;
  const char* name = nullptr;
};
struct CuptiDecode : CuptiCall {
  CuptiRanges ranges = nullptr;
  std::size_t dropped = 0;  // out
};
struct CuptiDataInfo : CuptiCall {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0, ranges = 0;  // ranges: out
};
struct CuptiRangeName : CuptiCall {
  const std::uint8_t* data = nullptr;
  std::size_t size = 0, index = 0;
  const char* delimiter = nullptr;
  const char* name = nullptr;  // out
};

// X(symbol, our structure, the toolkit's structure without its suffix _Params, last field)
#define HARNESS_CUPTI_CALLS(X)                                                                                     \
  X(cuptiProfilerInitialize, CuptiInitialize, CUpti_Profiler_Initialize, reserved)                                 \
  X(cuptiDeviceGetChipName, CuptiChip, CUpti_Device_GetChipName, name)                                             \
  X(cuptiProfilerHostInitialize, CuptiHostInitialize, CUpti_Profiler_Host_Initialize, host)                        \
  X(cuptiProfilerHostDeinitialize, CuptiHostEnd, CUpti_Profiler_Host_Deinitialize, host)                           \
  X(cuptiProfilerHostConfigAddMetrics, CuptiAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics, count)               \
  X(cuptiProfilerHostGetConfigImageSize, CuptiConfigSize, CUpti_Profiler_Host_GetConfigImageSize, size)            \
  X(cuptiProfilerHostGetConfigImage, CuptiConfigImage, CUpti_Profiler_Host_GetConfigImage, image)                  \
  X(cuptiProfilerHostGetNumOfPasses, CuptiPasses, CUpti_Profiler_Host_GetNumOfPasses, passes)                      \
  X(cuptiProfilerHostEvaluateToGpuValues, CuptiEvaluate, CUpti_Profiler_Host_EvaluateToGpuValues, values)          \
  X(cuptiRangeProfilerEnable, CuptiEnable, CUpti_RangeProfiler_Enable, ranges)                                     \
  X(cuptiRangeProfilerDisable, CuptiOnRanges, CUpti_RangeProfiler_Disable, ranges)                                 \
  X(cuptiRangeProfilerGetCounterDataSize, CuptiDataSize, CUpti_RangeProfiler_GetCounterDataSize, size)             \
  X(cuptiRangeProfilerCounterDataImageInitialize, CuptiDataStart, CUpti_RangeProfiler_CounterDataImage_Initialize, \
    data)                                                                                                          \
  X(cuptiRangeProfilerSetConfig, CuptiConfig, CUpti_RangeProfiler_SetConfig, target_nesting)                       \
  X(cuptiRangeProfilerStart, CuptiOnRanges, CUpti_RangeProfiler_Start, ranges)                                     \
  X(cuptiRangeProfilerStop, CuptiStop, CUpti_RangeProfiler_Stop, all_passes)                                       \
  X(cuptiRangeProfilerPushRange, CuptiPush, CUpti_RangeProfiler_PushRange, name)                                   \
  X(cuptiRangeProfilerPopRange, CuptiOnRanges, CUpti_RangeProfiler_PopRange, ranges)                               \
  X(cuptiRangeProfilerDecodeData, CuptiDecode, CUpti_RangeProfiler_DecodeData, dropped)                            \
  X(cuptiRangeProfilerGetCounterDataInfo, CuptiDataInfo, CUpti_RangeProfiler_GetCounterDataInfo, ranges)           \
  X(cuptiRangeProfilerCounterDataGetRangeInfo, CuptiRangeName, CUpti_RangeProfiler_CounterData_GetRangeInfo, name)

struct CuptiApi {
#define X(symbol, params, ...) CuptiStatus (*symbol)(params*) = nullptr;
  HARNESS_CUPTI_CALLS(X)
#undef X
  CuptiStatus (*cuptiGetResultString)(CuptiStatus, const char**) = nullptr;
};

/// How many bytes of a structure CUPTI is to look at: up to its last field.
#define X(symbol, params, theirs, last)                                                   \
  inline std::size_t size_for_##symbol(const params& given) {                             \
    return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(&given.last + 1) - \
                                    reinterpret_cast<const std::byte*>(&given));          \
  }
HARNESS_CUPTI_CALLS(X)
#undef X

/// Throws Error(environment) unless `status` is success: the call, the code, its name, and for the known ones what
/// mends it.
void check_cupti(const CuptiApi& api, CuptiStatus status, const char* call);

/// Calls `symbol` of `api` with the structure `given`.
#define HARNESS_CUPTI(api, symbol, given) \
  ((given).bytes = size_for_##symbol(given), check_cupti(api, (api).symbol(&(given)), #symbol))

struct CuptiLibrary {
  const CuptiApi* api = nullptr;
  std::string missing;  // one sentence when there is no api
};

/// Opens libcupti on the first call; it stays open until the process ends. libnvperf_host is opened before it, by its
/// path: libcupti looks for it by name alone, where it mostly is not found.
const CuptiLibrary& cupti_library();

}  // namespace harness::cuda
