#include "harness/device/cuda/compile/build_cache.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/core/error.h"

namespace harness::cuda {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return file.bad() ? std::nullopt : std::optional(bytes.str());
}

/// Written under a name of its own, then renamed: a reader sees the old file or the new one, whole.
void write_whole(const fs::path& path, const std::string& bytes) {
  static std::atomic<int> counter = 0;
  const fs::path temporary = fmt::format("{}.{}.{}.tmp", path.string(), getpid(), counter++);
  std::ofstream file(temporary, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code failure;
  if (file) fs::rename(temporary, path, failure);
  if (file && !failure) return;
  std::error_code ignored;
  fs::remove(temporary, ignored);
  throw environment_error(fmt::format("the build cache cannot write {}{}; free some space or choose another folder.",
                                      path.string(), failure ? ": " + failure.message() : ""));
}

fs::path sidecar(const fs::path& cubin) {
  return fs::path(cubin).replace_extension(".json");
}

std::string listing_of(const fs::path& cubin) {
  return fs::path(cubin).replace_extension(".ptx").string();
}

json read_sidecar(const Artifact& artifact) {
  const auto text = read_file(sidecar(artifact.path));
  if (!text) {
    throw environment_error(fmt::format("{} is gone from the build cache; run again to compile it.", artifact.path));
  }
  json record = parse_json_if_valid(*text);
  if (!record.contains("lowered_names")) {
    throw environment_error(fmt::format("{} is damaged; delete it and run again.", sidecar(artifact.path).string()));
  }
  return record;
}

}  // namespace

// Absolute, for an artifact's path is handed to processes elsewhere.
BuildCache::BuildCache(const std::string& folder) : folder_(fs::absolute(folder).string()) {}

std::optional<Artifact> BuildCache::find(const std::string& key) const {
  const fs::path cubin = fs::path(folder_) / (key + ".cubin");
  const auto text = read_file(sidecar(cubin));
  const json record = text ? parse_json_if_valid(*text) : json();
  std::error_code missing;
  const auto bytes = fs::file_size(cubin, missing);
  if (!record.is_object() || missing || !fs::exists(listing_of(cubin), missing) ||
      record.value("cubin_bytes", json()) != bytes)
    return {};
  try {
    auto artifact = record.at("artifact").get<Artifact>();
    artifact.path = cubin.string();  // the folder may have moved
    artifact.listing = listing_of(cubin);
    artifact.from_cache = true;
    artifact.compile_s = 0;
    return artifact;
  } catch (const json::exception&) {
    return {};  // of another version: compiled anew and overwritten
  }
}

void BuildCache::store(Artifact& artifact, const std::map<std::string, std::string>& lowered_names,
                       const std::string& cubin, const std::string& ptx) const {
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) {
    throw environment_error(
        fmt::format("the build cache {} cannot be made: {}; choose another folder.", folder_, failure.message()));
  }
  const fs::path path = fs::path(folder_) / (artifact.key + ".cubin");
  artifact.path = path.string();
  artifact.listing = listing_of(path);
  write_whole(path, cubin);
  write_whole(artifact.listing, ptx);
  const json record = {{"artifact", artifact}, {"lowered_names", lowered_names}, {"cubin_bytes", cubin.size()}};
  write_whole(sidecar(path), record.dump(1));
}

std::map<std::string, std::string> lowered_names(const Artifact& artifact) {
  return read_sidecar(artifact).at("lowered_names").get<std::map<std::string, std::string>>();
}

std::string read_cubin(const Artifact& artifact) {
  auto bytes = read_file(artifact.path);
  if (!bytes) {
    throw environment_error(fmt::format("{} is gone from the build cache; run again to compile it.", artifact.path));
  }
  return std::move(*bytes);
}

}  // namespace harness::cuda
