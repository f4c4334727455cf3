#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/plan.h"
#include "harness/system/build_cache.h"
#include "harness/system/files.h"

namespace harness::cpu {

/// Built candidates in the build cache: candidate.so and artifact.json. In two steps, so that a hit needs no compiler:
/// a request (source, options, compiler) names the headers that its last build read, and the request with the hashes of
/// those headers names the build. A header that is added in front of another in the include path goes unnoticed until
/// one of the headers that were read changes.
class ArtifactCache {
 public:
  explicit ArtifactCache(const std::string& folder) : builds_(folder) {}

  std::optional<Artifact> find(const std::string& request);
  /// A new empty folder for one build, to be given to `store` or `discard`.
  std::string scratch() const { return builds_.scratch(); }
  /// Moves the finished build in: `scratch` holds candidate.so. Fills in the artifact's path and key.
  void store(const std::string& request, const std::vector<std::string>& headers, const std::string& scratch,
             Artifact& artifact);
  static void discard(const std::string& scratch) { BuildCache::discard(scratch); }

 private:
  std::string key(const std::string& request, const std::vector<std::string>& headers);

  BuildCache builds_;
  FileHashes hashes_;
};

}  // namespace harness::cpu
