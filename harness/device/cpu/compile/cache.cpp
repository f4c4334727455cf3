#include "harness/device/cpu/compile/cache.h"

#include <unistd.h>

#include "harness/core/hash.h"

namespace harness::cpu {
namespace {

std::string library_in(const std::string& place) {
  return place + "/candidate.so";
}
std::string record_in(const std::string& place) {
  return place + "/artifact.json";
}

/// What was written whole and by this version.
std::optional<Artifact> read_artifact(const std::string& place) {
  const json record = parse_json_if_valid(read_file_if_any(record_in(place)).value_or(""));
  if (access(library_in(place).c_str(), R_OK) != 0) return std::nullopt;
  try {
    return record.get<Artifact>();
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string ArtifactCache::key(const std::string& request, const std::vector<std::string>& headers) {
  Sha256 hash;
  hash.field(request);
  for (const std::string& header : headers) hash.field(header).field(hashes_.of(header));
  return hash.hex();
}

std::optional<Artifact> ArtifactCache::find(const std::string& request) {
  const json headers = parse_json_if_valid(builds_.note(request).value_or(""));
  if (!headers.is_array()) return std::nullopt;
  const std::string key = this->key(request, headers.get<std::vector<std::string>>());
  const std::optional<std::string> place = builds_.find(key);
  if (!place) return std::nullopt;
  std::optional<Artifact> artifact = read_artifact(*place);
  if (!artifact) {
    builds_.remove(key);
    return std::nullopt;
  }
  artifact->path = library_in(*place);
  artifact->from_cache = true;
  artifact->compile_s = 0;
  return artifact;
}

void ArtifactCache::store(const std::string& request, const std::vector<std::string>& headers,
                          const std::string& scratch, Artifact& artifact) {
  artifact.key = key(request, headers);
  artifact.path = "";  // where it will be is the cache's business
  write_file(record_in(scratch), json_text(artifact));
  artifact.path = library_in(builds_.store(artifact.key, scratch));
  builds_.keep_note(request, json_text(headers));
}

}  // namespace harness::cpu
