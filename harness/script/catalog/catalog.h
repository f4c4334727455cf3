#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"
#include "harness/script/catalog/catalog_kernel.h"

namespace harness::script {

/// The plugin folders. A kernel is read when it is first used and then kept: a broken one fails when it is used and
/// stops no other. Not thread-safe.
class LuaCatalog : public FormulaCatalog {
 public:
  /// Each of `kernel_folders` holds one folder a kernel; `include_dirs` (kernels/include) are what every device source
  /// may include from. `device_kinds` are those that manifests may name; of none given any name will do. Throws
  /// Error(bad_input) for a folder that is not there and for a kernel that is in two of them.
  LuaCatalog(const std::vector<std::filesystem::path>& kernel_folders, std::vector<std::filesystem::path> include_dirs,
             std::vector<std::string> device_kinds = {});

  std::vector<std::string> kernel_names() override;
  LoadedKernel& plugin(const std::string& kernel) override;

 private:
  std::map<std::string, std::filesystem::path> folders_;  // kernel name -> its folder
  std::vector<std::filesystem::path> include_dirs_;
  std::vector<std::string> device_kinds_;
  std::map<std::string, std::unique_ptr<LoadedKernel>> loaded_;
};

}  // namespace harness::script
