#include "harness/device/cpu/compile/cache.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness::cpu {
namespace {

namespace fs = std::filesystem;

void make_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) throw environment_error("the cache folder " + path + " cannot be made: " + error.message());
}

// Builds whose process was killed leave their scratch folder behind.
void remove_orphans(const std::string& folder) {
  std::error_code error;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.last_write_time(error) < old) fs::remove_all(entry.path(), error);
}

/// A write that other processes see whole or not at all.
void replace_file(const std::string& path, const std::string& bytes, const std::string& temporary) {
  write_file(temporary, bytes);
  if (rename(temporary.c_str(), path.c_str()) != 0) throw environment_error(path + " cannot be written");
}

std::string unique_name() {
  static std::atomic<int> count{0};
  return std::to_string(getpid()) + "-" + std::to_string(count++);
}

}  // namespace

ArtifactCache::ArtifactCache(std::string folder) : folder_(fs::absolute(folder).string()) {
  for (const char* name : {"/requests", "/artifacts", "/scratch"}) make_folder(folder_ + name);
  remove_orphans(folder_ + "/scratch");
}

std::string ArtifactCache::key(const std::string& request, const std::vector<std::string>& headers) {
  Sha256 hash;
  hash.field(request);
  for (const std::string& header : headers) hash.field(header).field(hashes_.of(header));
  return hash.hex();
}

std::optional<Artifact> ArtifactCache::find(const std::string& request) {
  const std::string known = folder_ + "/requests/" + request + ".json";
  if (access(known.c_str(), R_OK) != 0) return std::nullopt;
  const json headers = parse_json_if_valid(read_file(known));
  if (!headers.is_array()) return std::nullopt;
  const std::string place = folder_ + "/artifacts/" + key(request, headers.get<std::vector<std::string>>());
  if (access((place + "/candidate.so").c_str(), R_OK) != 0) return std::nullopt;
  const json stored = parse_json_if_valid(read_file(place + "/artifact.json"));
  if (!stored.is_object()) return std::nullopt;
  Artifact artifact = stored.get<Artifact>();
  artifact.path = place + "/candidate.so";
  artifact.from_cache = true;
  artifact.compile_s = 0;
  return artifact;
}

std::string ArtifactCache::scratch() {
  const std::string path = folder_ + "/scratch/" + unique_name();
  discard(path);
  make_folder(path);
  return path;
}

void ArtifactCache::store(const std::string& request, const std::vector<std::string>& headers,
                          const std::string& scratch, Artifact& artifact) {
  artifact.key = key(request, headers);
  const std::string place = folder_ + "/artifacts/" + artifact.key;
  artifact.path = place + "/candidate.so";
  write_file(scratch + "/artifact.json", json_text(artifact));
  if (rename(scratch.c_str(), place.c_str()) != 0) {
    discard(scratch);
    if (access(artifact.path.c_str(), R_OK) != 0) throw environment_error(place + " cannot be written");
  }
  replace_file(folder_ + "/requests/" + request + ".json", json_text(headers),
               folder_ + "/scratch/" + unique_name() + ".json");
}

void ArtifactCache::discard(const std::string& scratch) {
  std::error_code error;
  fs::remove_all(scratch, error);
}

}  // namespace harness::cpu
