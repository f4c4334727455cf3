#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/core/plan.h"
#include "harness/system/files.h"

namespace harness::cpu {

/// Built candidates on disk, by what decided them; safe with several processes. In two steps, so that a hit needs no
/// compiler: a request (source, options, compiler) names the headers that its last build read, and the request with the
/// hashes of those headers names the artifact. A header that is added in front of another in the include path goes
/// unnoticed until one of the headers that were read changes.
class ArtifactCache {
 public:
  /// `folder` is made if it is absent. Throws environment_error if that fails.
  explicit ArtifactCache(std::string folder);

  std::optional<Artifact> find(const std::string& request);
  /// A new empty folder for one build, to be given to `store` or `discard`.
  std::string scratch();
  /// Moves the finished build in: `scratch` holds candidate.so. Fills in the artifact's path and key. If another
  /// process was first, its build is kept.
  void store(const std::string& request, const std::vector<std::string>& headers, const std::string& scratch,
             Artifact& artifact);
  static void discard(const std::string& scratch);

 private:
  std::string key(const std::string& request, const std::vector<std::string>& headers);

  std::string folder_;
  FileHashes hashes_;
};

}  // namespace harness::cpu
