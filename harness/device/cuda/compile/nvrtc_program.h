#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/device/cuda/api/nvrtc_api.h"

namespace harness::cuda {

/// One compilation: what came out of NVRTC.
struct NvrtcOutput {
  bool compiled = false;
  std::string log;
  std::string cubin, ptx;
  std::map<std::string, std::string> lowered_names;  // entry -> mangled name; of constants by constant_key
};

/// Compiles with the built-in headers at hand. `constants`: variables whose names must be found in the module. A source
/// that does not compile is an answer; Error only if NVRTC itself breaks.
NvrtcOutput compile_with_nvrtc(const NvrtcApi& api, const std::string& source_name, const std::string& source,
                               const std::vector<std::string>& entries, const std::vector<std::string>& options,
                               const std::vector<std::string>& constants = {});

/// An output as bytes, to cross from one process to another.
std::string to_bytes(const NvrtcOutput& output);
/// Throws Error(environment) for bytes that are none.
NvrtcOutput from_bytes(const std::string& bytes);

}  // namespace harness::cuda
