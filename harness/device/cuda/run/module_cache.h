#pragma once
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "harness/core/plan.h"
#include "harness/device/cuda/api/objects.h"

namespace harness::cuda {

struct LoadedFunction {
  Function handle = nullptr;
  std::vector<std::int64_t> parameter_bytes;  // as the driver says, or the compiler where it does not
  std::int64_t static_shared_bytes = 0;
  std::int64_t allowed_dynamic_bytes = 48 * 1024;
  bool any_cluster = false;  // clusters of more than 8 blocks are allowed
};

/// A `__constant__` variable that a plan may fill.
struct LoadedConstant {
  DevicePointer address = 0;
  std::size_t bytes = 0;
};

struct LoadedModule {
  OwnedModule module;
  std::map<std::string, LoadedConstant> constants;  // by symbol, as BuildSpec::constants had it
  std::map<std::string, LoadedFunction> functions;  // by entry
};

/// Modules in the current context by Artifact::key; the ones used last stay loaded. A module in use outlives its
/// eviction.
class ModuleCache {
 public:
  explicit ModuleCache(const DriverApi& api) : api_(api) {}
  /// Throws NotSupported for code of another GPU, LaunchRefused when the driver cannot load it, Error if the file is
  /// gone.
  std::shared_ptr<LoadedModule> load(const Artifact& artifact);
  /// The same, but with every variable of the module as its source initializes it: loads it anew unless nothing has
  /// been run from it yet.
  std::shared_ptr<LoadedModule> load_fresh(const Artifact& artifact);

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<LoadedModule> module;
    bool used = false;  // handed out to be run
  };
  const DriverApi& api_;
  std::list<Entry> recent_;  // the last used first
};

/// What the driver says of a loaded function.
EntryResources driver_resources(const DriverApi& api, const std::string& entry, const LoadedFunction& function);

}  // namespace harness::cuda
