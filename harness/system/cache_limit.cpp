#include "harness/system/cache_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "harness/core/error.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

struct Build {
  fs::path path;
  fs::file_time_type used;
  std::uintmax_t bytes = 0;
};

std::uintmax_t bytes_below(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    if (std::error_code gone; at->is_regular_file(gone)) {
      const std::uintmax_t size = at->file_size(gone);
      if (!gone) bytes += size;
    }
  return bytes;
}

void add_builds(const fs::path& artifacts, std::vector<Build>& builds) {
  std::error_code failed;
  for (fs::directory_iterator at(artifacts, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code gone;
    const auto used = fs::last_write_time(at->path(), gone);
    if (!gone) builds.push_back({at->path(), used, bytes_below(at->path())});
  }
}

/// A cache keeps its builds in a folder of this name, at most two levels down.
std::vector<Build> builds_below(const std::string& folder) {
  constexpr int kDeepest = 2;
  std::vector<Build> builds;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    if (at->path().filename() == "artifacts") {
      add_builds(at->path(), builds);
      at.disable_recursion_pending();
    } else if (at.depth() >= kDeepest) {
      at.disable_recursion_pending();
    }
  }
  return builds;
}

CacheUse sum_of(const std::vector<Build>& builds) {
  CacheUse use;
  for (const Build& build : builds) use.bytes += build.bytes;
  use.builds = builds.size();
  return use;
}

}  // namespace

CacheUse cache_use(const std::string& folder) {
  return sum_of(builds_below(folder));
}

std::uintmax_t parse_bytes(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::string unit = end == nullptr ? "" : end;
  const double factor = unit.empty() || unit == "B"   ? 1
                        : unit == "K" || unit == "KB" ? 1024.0
                        : unit == "M" || unit == "MB" ? 1024.0 * 1024
                        : unit == "G" || unit == "GB" ? 1024.0 * 1024 * 1024
                        : unit == "T" || unit == "TB" ? 1024.0 * 1024 * 1024 * 1024
                                                      : 0;
  if (end == text.c_str() || factor == 0 || !(number >= 0) || !(number * factor < 1e18))
    throw bad_input(fmt::format("'{}' is no size; write 500M or 5G", text));
  return static_cast<std::uintmax_t>(std::llround(number * factor));
}

std::uintmax_t cache_limit() {
  const char* said = std::getenv("HARNESS_CACHE_SIZE");
  return said == nullptr || *said == '\0' ? kCacheBytes : parse_bytes(said);
}

CacheUse prune_cache(const std::string& folder, std::uintmax_t limit, double keep_s) {
  std::vector<Build> builds = builds_below(folder);
  std::ranges::sort(builds, {}, &Build::used);
  std::uintmax_t left = sum_of(builds).bytes;
  const auto kept = fs::file_time_type::clock::now() -
                    std::chrono::duration_cast<fs::file_time_type::duration>(std::chrono::duration<double>(keep_s));
  CacheUse gone;
  for (const Build& build : builds) {
    if (left <= limit || build.used > kept) break;
    std::error_code failed;
    fs::remove_all(build.path, failed);
    if (failed) continue;
    left -= build.bytes;
    gone.bytes += build.bytes;
    ++gone.builds;
  }
  return gone;
}

void keep_cache_small(const std::string& folder) {
  constexpr auto kEvery = std::chrono::hours(24);
  const fs::path stamp = fs::path(folder) / "pruned";
  std::error_code absent;
  const auto last = fs::last_write_time(stamp, absent);
  if (!fs::is_directory(folder, absent) || last > fs::file_time_type::clock::now() - kEvery) return;
  try {
    std::ofstream(stamp) << "The last look at the size of this cache: harness cache\n";
    prune_cache(folder, cache_limit());
  } catch (const std::exception&) {
    return;
  }
}

}  // namespace harness
