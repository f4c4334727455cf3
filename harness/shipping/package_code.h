#pragma once
#include <map>
#include <string>
#include <vector>

#include "harness/package/folder/model.h"
#include "harness/service/shell.h"

namespace harness {

/// Those asked for, else those of the devices that were measured; of emulation alone the first GPU's of core/gpu.h.
std::vector<std::string> architectures_of(std::vector<std::string> asked, const std::vector<DeviceInfo>& devices);

/// Compilers for architectures whose devices need not be here. Throws Error(bad_input) for an unknown architecture,
/// Error(environment) where nothing compiles for it here.
class PackageCompilers {
 public:
  /// `ptx`: also PTX, for the same architectures and what comes after them.
  PackageCompilers(const Shell& shell, const Places& places, const std::vector<std::string>& architectures, bool ptx);
  package::CodeMaker maker() const;

 private:
  std::map<std::string, std::shared_ptr<OfflineDevice>> devices_, ptx_devices_;
};

}  // namespace harness
