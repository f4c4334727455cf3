#include "harness/system/build_cache.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

void make_cache_folder(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed)
    throw environment_error(fmt::format("the build cache's folder {} cannot be made: {}; set HARNESS_CACHE to another",
                                        path, failed.message()));
}

void remove_orphans(const std::string& folder) {
  std::error_code failed;
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed))
    if (entry.last_write_time(failed) < old) fs::remove_all(entry.path(), failed);
}

}  // namespace

// Absolute, for an artifact's path is handed to processes elsewhere.
BuildCache::BuildCache(const std::string& folder) : folder_(fs::absolute(folder).string()) {
  remove_orphans(folder_ + "/scratch");
}

std::optional<std::string> BuildCache::find(const std::string& key) const {
  std::error_code absent;
  if (!fs::is_directory(place(key), absent)) return std::nullopt;
  // When it was last used: where the cache is too large, what was not used for longest goes (cache_limit.h).
  fs::last_write_time(place(key), fs::file_time_type::clock::now(), absent);
  return place(key);
}

std::string BuildCache::scratch() const {
  const std::string path = folder_ + "/scratch/" + unique_name();
  discard(path);
  make_cache_folder(path);
  return path;
}

std::string BuildCache::store(const std::string& key, const std::string& scratch) const {
  make_cache_folder(folder_ + "/artifacts");
  std::error_code failed;
  fs::rename(scratch, place(key), failed);
  if (!failed) return place(key);
  discard(scratch);
  if (!find(key))
    throw environment_error(fmt::format("the build cache cannot write {}: {}", place(key), failed.message()));
  return place(key);
}

void BuildCache::remove(const std::string& key) const {
  discard(place(key));
}

void BuildCache::discard(const std::string& scratch) {
  std::error_code failed;
  fs::remove_all(scratch, failed);
}

std::optional<std::string> BuildCache::note(const std::string& name) const {
  return read_file_if_any(folder_ + "/requests/" + name + ".json");
}

void BuildCache::keep_note(const std::string& name, const std::string& text) const {
  for (const char* part : {"/requests", "/scratch"}) make_cache_folder(folder_ + part);
  replace_file(folder_ + "/requests/" + name + ".json", text, folder_ + "/scratch");
}

}  // namespace harness
