#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/device/cuda/api/toolkit.h"
#include "tests/device/cuda/scratch.h"
#include "tests/support/skip.h"

using namespace harness::cuda;

namespace {

/// Types agree when a call passes the same bytes: same size and signedness, structs of the same size, opaque handles.
constexpr const char* kPrelude = R"(
#include <cstddef>
#include <type_traits>
template <typename A, typename B> constexpr bool agree() {
  if constexpr (std::is_same_v<A, B>) return true;
  else if constexpr (std::is_function_v<A> || std::is_function_v<B>) return false;
  else if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using P = std::remove_pointer_t<A>; using Q = std::remove_pointer_t<B>;
    if constexpr (std::is_const_v<P> != std::is_const_v<Q>) return false;
    else return agree<std::remove_const_t<P>, std::remove_const_t<Q>>();
  }
  else if constexpr (std::is_void_v<A> || std::is_void_v<B>) return false;
  else if constexpr (std::is_class_v<A> && std::is_class_v<B>) return true;   // sizes are compared by name
  else if constexpr (std::is_enum_v<A> || std::is_enum_v<B>) return sizeof(A) == sizeof(B);
  else if constexpr (std::is_integral_v<A> && std::is_integral_v<B>)
    return sizeof(A) == sizeof(B) && std::is_signed_v<A> == std::is_signed_v<B>;
  else return false;
}
template <typename A, typename B> struct same_call : std::false_type {};
template <typename R, typename... As, typename S, typename... Bs>
struct same_call<R (*)(As...), S (*)(Bs...)> {
  static constexpr bool compare() {
    if constexpr (sizeof...(As) != sizeof...(Bs)) return false;
    else return agree<R, S>() && (agree<As, Bs>() && ...);
  }
  static constexpr bool value = compare();
};
namespace ours = harness::cuda;
#define X(mine, theirs, number) static_assert(ours::mine == static_cast<int>(::theirs), #theirs);
)";

constexpr const char* kCalls = R"(
#undef X
#define X(symbol, ...) static_assert(same_call<decltype(&::symbol), decltype(ours::API::symbol)>::value, #symbol);
)";

std::string driver_source() {
  std::string source = "#include <cuda.h>\n#include \"harness/device/cuda/api/driver_api.h\"\n";
  source += kPrelude;
  source += "HARNESS_DRIVER_CONSTANTS(X)\n#define API DriverApi\n";
  source += kCalls;
  source += R"(HARNESS_DRIVER_CALLS(X) HARNESS_OPTIONAL_DRIVER_CALLS(X)
static_assert(sizeof(ours::LaunchAttribute) == sizeof(::CUlaunchAttribute));
static_assert(offsetof(ours::LaunchAttribute, value) == offsetof(::CUlaunchAttribute, value));
static_assert(offsetof(::CUlaunchAttributeValue, clusterDim) == 0 && offsetof(::CUlaunchAttributeValue, cooperative) == 0);
static_assert(sizeof(::CUlaunchAttributeValue::clusterDim) == 12 && sizeof(::CUlaunchAttributeValue::cooperative) == 4);
static_assert(sizeof(ours::LaunchConfig) == sizeof(::CUlaunchConfig));
static_assert(offsetof(ours::LaunchConfig, block_x) == offsetof(::CUlaunchConfig, blockDimX));
static_assert(offsetof(ours::LaunchConfig, shared_bytes) == offsetof(::CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(ours::LaunchConfig, stream) == offsetof(::CUlaunchConfig, hStream));
static_assert(offsetof(ours::LaunchConfig, attributes) == offsetof(::CUlaunchConfig, attrs));
static_assert(offsetof(ours::LaunchConfig, attribute_count) == offsetof(::CUlaunchConfig, numAttrs));
static_assert(sizeof(ours::AllocationProperties) == sizeof(::CUmemAllocationProp));
static_assert(offsetof(ours::AllocationProperties, location_type) == offsetof(::CUmemAllocationProp, location));
static_assert(offsetof(ours::AllocationProperties, flags) == offsetof(::CUmemAllocationProp, allocFlags));
static_assert(sizeof(ours::AccessDescription) == sizeof(::CUmemAccessDesc));
static_assert(offsetof(ours::AccessDescription, access) == offsetof(::CUmemAccessDesc, flags));
static_assert(sizeof(ours::Uuid) == sizeof(::CUuuid));
static_assert(sizeof(ours::DevicePointer) == sizeof(::CUdeviceptr) && sizeof(ours::Device) == sizeof(::CUdevice));
)";
  return source;
}

std::string nvrtc_source() {
  std::string source = "#include <nvrtc.h>\n#include \"harness/device/cuda/api/nvrtc_api.h\"\n";
  source += kPrelude;
  source += "HARNESS_NVRTC_CONSTANTS(X)\n#define API NvrtcApi\n";
  source += kCalls;
  return source + "HARNESS_NVRTC_CALLS(X)\n";
}

std::string nvml_source() {
  std::string source = "#include <nvml.h>\n#include \"harness/device/cuda/api/nvml_api.h\"\n";
  source += kPrelude;
  source += "HARNESS_NVML_CONSTANTS(X)\n#define API NvmlApi\n";
  source += kCalls;
  return source + R"(HARNESS_NVML_CALLS(X) HARNESS_OPTIONAL_NVML_CALLS(X)
static_assert(sizeof(ours::NvmlProcess) == sizeof(::nvmlProcessInfo_t));
static_assert(offsetof(ours::NvmlProcess, used_bytes) == offsetof(::nvmlProcessInfo_t, usedGpuMemory));
static_assert(sizeof(ours::NvmlEvent) == sizeof(::nvmlEventData_t));
static_assert(offsetof(ours::NvmlEvent, data) == offsetof(::nvmlEventData_t, eventData));
)";
}

std::string cublas_source() {
  std::string source = "#include <cublasLt.h>\n#include \"harness/device/cuda/library/cublas_api.h\"\n";
  source += kPrelude;
  source += "HARNESS_CUBLAS_CONSTANTS(X)\n#define API CublasApi\n";
  source += kCalls;
  return source + R"(HARNESS_CUBLAS_CALLS(X)
static_assert(sizeof(ours::CublasAlgorithm) == sizeof(::cublasLtMatmulAlgo_t));
static_assert(sizeof(ours::CublasChoice) == sizeof(::cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(ours::CublasChoice, workspace_bytes) == offsetof(::cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(ours::CublasChoice, state) == offsetof(::cublasLtMatmulHeuristicResult_t, state));
)";
}

std::string cudnn_source() {
  std::string source = "#include <cudnn.h>\n#include \"harness/device/cuda/library/cudnn_api.h\"\n";
  source += kPrelude;
  source += "HARNESS_CUDNN_CONSTANTS(X)\n#define API CudnnApi\n";
  source += kCalls;
  return source + "HARNESS_CUDNN_CALLS(X)\n";
}

/// Field by field: a structure's fields follow each other, so the last one and the size that is told say it all.
std::string cupti_source() {
  std::string source =
      "#include <cupti_profiler_host.h>\n#include <cupti_range_profiler.h>\n#include <cupti_target.h>\n"
      "#include \"harness/device/cuda/profile/cupti_api.h\"\n";
  source += kPrelude;
  source += "HARNESS_CUPTI_CONSTANTS(X)\n";
  return source + R"(
#undef X
#define X(symbol, mine, theirs, last)                                                            \
  static_assert(sizeof(ours::mine) == sizeof(::theirs##_Params), #theirs);                       \
  static_assert(offsetof(ours::mine, last) + sizeof(ours::mine::last) == theirs##_Params_STRUCT_SIZE, #theirs);
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
HARNESS_CUPTI_CALLS(X)
#define SAME(mine, field, theirs, other) \
  static_assert(offsetof(ours::mine, field) == offsetof(::theirs##_Params, other), #other);
SAME(CuptiConfig, config, CUpti_RangeProfiler_SetConfig, pConfig)
SAME(CuptiConfig, data, CUpti_RangeProfiler_SetConfig, pCounterDataImage)
SAME(CuptiConfig, range, CUpti_RangeProfiler_SetConfig, range)
SAME(CuptiConfig, replay, CUpti_RangeProfiler_SetConfig, replayMode)
SAME(CuptiConfig, most_ranges, CUpti_RangeProfiler_SetConfig, maxRangesPerPass)
SAME(CuptiConfig, nesting_levels, CUpti_RangeProfiler_SetConfig, numNestingLevels)
SAME(CuptiConfig, least_nesting, CUpti_RangeProfiler_SetConfig, minNestingLevel)
SAME(CuptiConfig, pass, CUpti_RangeProfiler_SetConfig, passIndex)
SAME(CuptiEvaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues, rangeIndex)
SAME(CuptiEvaluate, metrics, CUpti_Profiler_Host_EvaluateToGpuValues, ppMetricNames)
SAME(CuptiEvaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues, numMetrics)
SAME(CuptiHostInitialize, chip, CUpti_Profiler_Host_Initialize, pChipName)
SAME(CuptiHostInitialize, availability, CUpti_Profiler_Host_Initialize, pCounterAvailabilityImage)
SAME(CuptiDataSize, most_ranges, CUpti_RangeProfiler_GetCounterDataSize, maxNumOfRanges)
SAME(CuptiDataSize, most_nodes, CUpti_RangeProfiler_GetCounterDataSize, maxNumRangeTreeNodes)
SAME(CuptiDataInfo, size, CUpti_RangeProfiler_GetCounterDataInfo, counterDataImageSize)
SAME(CuptiRangeName, index, CUpti_RangeProfiler_CounterData_GetRangeInfo, rangeIndex)
)";
}

/// What g++ says about `source` against the toolkit's headers; "" when it compiles.
std::string compile_errors(const std::string& source) {
  Scratch scratch;
  scratch.write("check.cpp", source);
  const std::string command = "g++ -std=c++20 -fsyntax-only -I" HARNESS_SOURCE_DIR " -I" + find_toolkit_include() +
                              " " + scratch.path("check.cpp") + " > " + scratch.path("log") + " 2>&1";
  if (std::system(command.c_str()) == 0) return "";
  std::ostringstream log;
  log << std::ifstream(scratch.path("log")).rdbuf();
  return "does not compile: " + log.str();
}

bool has_no_header(const std::string& name) {
  const std::string include = find_toolkit_include();
  const bool compiler = std::system("g++ --version > /dev/null 2>&1") == 0;
  if (compiler && !include.empty() && std::filesystem::exists(include + "/" + name)) return false;
  harness::tests::skip("the toolkit's " + name + (compiler ? "" : " or g++") + " was not found");
  return true;
}

}  // namespace

TEST_CASE("our declarations of the driver agree with cuda.h") {
  if (has_no_header("cuda.h")) return;
  CHECK(compile_errors(driver_source()) == "");
}

TEST_CASE("our declarations of NVRTC agree with nvrtc.h") {
  if (has_no_header("nvrtc.h")) return;
  CHECK(compile_errors(nvrtc_source()) == "");
}

TEST_CASE("our declarations of NVML agree with nvml.h") {
  if (has_no_header("nvml.h")) return;
  CHECK(compile_errors(nvml_source()) == "");
}

TEST_CASE("our declarations of cuBLASLt agree with cublasLt.h") {
  if (has_no_header("cublasLt.h")) return;
  CHECK(compile_errors(cublas_source()) == "");
}

TEST_CASE("our declarations of cuDNN agree with cudnn.h") {
  if (has_no_header("cudnn.h")) return;
  CHECK(compile_errors(cudnn_source()) == "");
}

TEST_CASE("our declarations of CUPTI agree with its headers") {
  if (has_no_header("cupti_range_profiler.h")) return;
  CHECK(compile_errors(cupti_source()) == "");
}

TEST_CASE("a declaration that disagrees with cuda.h would be noticed") {
  if (has_no_header("cuda.h")) return;
  const std::string wrong =
      driver_source() +
      "struct Wrong { ours::Status (*cuMemAlloc_v2)(ours::DevicePointer*, unsigned int); };\n"
      "static_assert(same_call<decltype(&::cuMemAlloc_v2), decltype(Wrong::cuMemAlloc_v2)>::value);";
  CHECK(compile_errors(wrong).find("static assertion failed") != std::string::npos);
  CHECK(compile_errors(driver_source() + "static_assert(ours::kFunctionRegisters == 5);") != "");
}
