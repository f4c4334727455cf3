#include "harness/adopt/plugin/changed.h"

#include <filesystem>

#include "harness/core/hash.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::adopt {

std::string source_of(const std::string& folder, const AdoptedFrom& from) {
  if (from.path.empty()) return "";
  return (fs::path(folder) / from.path).lexically_normal().string();  // an absolute path stays what it is
}

std::optional<ChangedSource> changed_source(const std::string& folder, const AdoptedFrom& from) {
  const std::string path = source_of(folder, from);
  if (path.empty()) return std::nullopt;
  const auto text = read_file_if_any(path);
  if (text && sha256_hex(*text) == from.digest) return std::nullopt;
  return ChangedSource{path, !text};
}

}  // namespace harness::adopt
