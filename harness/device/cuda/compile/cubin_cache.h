#pragma once
#include <map>
#include <optional>
#include <string>

#include "harness/core/plan.h"
#include "harness/system/build_cache.h"

namespace harness::cuda {

/// Compiled modules in the build cache: module.cubin, module.ptx and module.json with the artifact and the mangled name
/// of every entry.
class CubinCache {
 public:
  explicit CubinCache(const std::string& folder) : builds_(folder) {}

  /// The artifact with `from_cache` set and compile_s 0; nullopt if it is not there or not readable.
  std::optional<Artifact> find(const std::string& key) const;
  /// Writes the files and sets `artifact.path` and `artifact.listing`. Throws Error when the folder cannot be written.
  void store(Artifact& artifact, const std::map<std::string, std::string>& lowered_names, const std::string& cubin,
             const std::string& ptx = "") const;

 private:
  BuildCache builds_;
};

/// Entry (name expression) -> mangled name, from the file beside `artifact.path`. Throws Error if that is gone.
std::map<std::string, std::string> lowered_names(const Artifact& artifact);

/// Throws Error when the file is gone.
std::string read_cubin(const Artifact& artifact);

}  // namespace harness::cuda
