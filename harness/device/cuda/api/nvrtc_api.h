#pragma once
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

// The part of NVRTC that this room uses; declarations_test.cpp compares it with the toolkit's nvrtc.h.
namespace harness::cuda {

using NvrtcStatus = int;  // nvrtcResult
using NvrtcProgram = struct NvrtcProgramObject*;

// X(our name, the toolkit's name, value)
#define HARNESS_NVRTC_CONSTANTS(X)                      \
  X(kNvrtcSuccess, NVRTC_SUCCESS, 0)                    \
  X(kNvrtcInvalidOption, NVRTC_ERROR_INVALID_OPTION, 5) \
  X(kNvrtcCompilation, NVRTC_ERROR_COMPILATION, 6)

#define X(ours, theirs, value) inline constexpr int ours = value;
HARNESS_NVRTC_CONSTANTS(X)
#undef X

// X(symbol, signature)
#define HARNESS_NVRTC_CALLS(X)                                                                         \
  X(nvrtcGetErrorString, const char*(NvrtcStatus))                                                     \
  X(nvrtcVersion, NvrtcStatus(int*, int*))                                                             \
  X(nvrtcGetNumSupportedArchs, NvrtcStatus(int*))                                                      \
  X(nvrtcGetSupportedArchs, NvrtcStatus(int*))                                                         \
  X(nvrtcCreateProgram,                                                                                \
    NvrtcStatus(NvrtcProgram*, const char*, const char*, int, const char* const*, const char* const*)) \
  X(nvrtcDestroyProgram, NvrtcStatus(NvrtcProgram*))                                                   \
  X(nvrtcCompileProgram, NvrtcStatus(NvrtcProgram, int, const char* const*))                           \
  X(nvrtcGetCUBINSize, NvrtcStatus(NvrtcProgram, std::size_t*))                                        \
  X(nvrtcGetCUBIN, NvrtcStatus(NvrtcProgram, char*))                                                   \
  X(nvrtcGetPTXSize, NvrtcStatus(NvrtcProgram, std::size_t*))                                          \
  X(nvrtcGetPTX, NvrtcStatus(NvrtcProgram, char*))                                                     \
  X(nvrtcGetProgramLogSize, NvrtcStatus(NvrtcProgram, std::size_t*))                                   \
  X(nvrtcGetProgramLog, NvrtcStatus(NvrtcProgram, char*))                                              \
  X(nvrtcAddNameExpression, NvrtcStatus(NvrtcProgram, const char*))                                    \
  X(nvrtcGetLoweredName, NvrtcStatus(NvrtcProgram, const char*, const char**))

struct NvrtcApi {
#define X(symbol, ...) std::add_pointer_t<__VA_ARGS__> symbol = nullptr;
  HARNESS_NVRTC_CALLS(X)
#undef X
  int major = 0, minor = 0;
  std::vector<int> architectures;  // what it compiles for, as compute capabilities: 75, 80, 90, ...
  std::string path;
  std::string version() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }
};

struct NvrtcLibrary {
  const NvrtcApi* api = nullptr;
  std::string missing;  // one sentence when there is no api
};

/// Opens libnvrtc on the first call; it stays open until the process ends.
const NvrtcLibrary& nvrtc_library();

/// The folder the loaded library really lies in, where its built-in parts are too.
std::string library_folder(const NvrtcApi& api);

}  // namespace harness::cuda
