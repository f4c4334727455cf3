#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/catalog.h"
#include "harness/script/contract_kernel.h"
#include "harness/script/plan_variant.h"

namespace harness::script {

/// A kernel's folder, read: its manifest and its variants in order of their numbers.
struct LoadedKernel {
  /// Throws Error(bad_input) for anything wrong in it, also for a variant file that is not named NN_name.lua.
  LoadedKernel(const std::filesystem::path& folder, const std::vector<std::filesystem::path>& include_dirs);

  /// Throws Error with the nearest known name.
  VariantManifest& variant(const std::string& name);
  Realized realize(const Candidate& candidate, const std::string& workload, const DeviceInfo& device);

  KernelManifest manifest;
  std::vector<std::unique_ptr<VariantManifest>> variants;
  KernelInfo info;
};

/// A path for messages: relative to the current folder where it is inside it.
std::string shown_path(const std::filesystem::path& path);

}  // namespace harness::script
