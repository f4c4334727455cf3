#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "harness/core/gpu.h"

namespace harness::script {

/// What one file of gpus/ says, run in the sandbox: return gpu { name = "H200", ... }, with the fields of GpuFacts.
/// Throws Error(bad_input) that names the file and the line.
GpuFacts gpu_from(const std::string& text, const std::string& file);

/// The facts of all files NAME.lua in these folders, the first rank first. A file takes the place of one of its name in
/// a later folder; a folder that is not there holds nothing. Throws as gpu_from does, and for two GPUs of one name.
std::vector<GpuFacts> read_gpus(const std::vector<std::filesystem::path>& folders);

}  // namespace harness::script
