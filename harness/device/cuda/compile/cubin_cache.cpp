#include "harness/device/cuda/compile/cubin_cache.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"

namespace harness::cuda {
namespace {

namespace fs = std::filesystem;

std::string module_in(const std::string& place) {
  return place + "/module.cubin";
}
std::string beside(const std::string& cubin, const char* extension) {
  return fs::path(cubin).replace_extension(extension).string();
}

/// What was written whole and by this version.
std::optional<Artifact> read_artifact(const std::string& cubin) {
  const json record = parse_json_if_valid(read_file_if_any(beside(cubin, ".json")).value_or(""));
  std::error_code missing;
  const auto bytes = fs::file_size(cubin, missing);
  if (!record.is_object() || missing || !fs::exists(beside(cubin, ".ptx"), missing) ||
      record.value("cubin_bytes", json()) != bytes)
    return std::nullopt;
  try {
    return record.at("artifact").get<Artifact>();
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Error gone(const Artifact& artifact) {
  return environment_error(fmt::format("{} is gone from the build cache; run again to compile it.", artifact.path));
}

}  // namespace

std::optional<Artifact> CubinCache::find(const std::string& key) const {
  const std::optional<std::string> place = builds_.find(key);
  if (!place) return std::nullopt;
  std::optional<Artifact> artifact = read_artifact(module_in(*place));
  if (!artifact) {
    builds_.remove(key);
    return std::nullopt;
  }
  artifact->path = module_in(*place);  // the folder may have moved
  artifact->listing = beside(artifact->path, ".ptx");
  artifact->from_cache = true;
  artifact->compile_s = 0;
  return artifact;
}

void CubinCache::store(Artifact& artifact, const std::map<std::string, std::string>& lowered_names,
                       const std::string& cubin, const std::string& ptx) const {
  const std::string scratch = builds_.scratch();
  const std::string module = module_in(scratch);
  write_file(module, cubin);
  write_file(beside(module, ".ptx"), ptx);
  const json record = {{"artifact", artifact}, {"lowered_names", lowered_names}, {"cubin_bytes", cubin.size()}};
  write_file(beside(module, ".json"), json_text(record));
  artifact.path = module_in(builds_.store(artifact.key, scratch));
  artifact.listing = beside(artifact.path, ".ptx");
}

std::map<std::string, std::string> lowered_names(const Artifact& artifact) {
  const std::string file = beside(artifact.path, ".json");
  const auto text = read_file_if_any(file);
  if (!text) throw gone(artifact);
  const json record = parse_json_if_valid(*text);
  if (!record.contains("lowered_names"))
    throw environment_error(fmt::format("{} is damaged; delete it and run again.", file));
  return record.at("lowered_names").get<std::map<std::string, std::string>>();
}

std::string read_cubin(const Artifact& artifact) {
  auto bytes = read_file_if_any(artifact.path);
  if (!bytes) throw gone(artifact);
  return std::move(*bytes);
}

}  // namespace harness::cuda
