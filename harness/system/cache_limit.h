#pragma once
#include <cstdint>
#include <string>

// The build caches below one folder (system/build_cache.h), kept below a size: the least recently used builds go first.
namespace harness {

struct CacheUse {
  std::uintmax_t bytes = 0;
  std::size_t builds = 0;
};

/// Of all caches below `folder`; nothing where it is not there.
CacheUse cache_use(const std::string& folder);

/// What is kept where nobody says otherwise, bytes: about 12,000 builds.
inline constexpr std::uintmax_t kCacheBytes = std::uintmax_t{5} << 30;
/// $HARNESS_CACHE_SIZE, else kCacheBytes. Throws Error(bad_input).
std::uintmax_t cache_limit();

/// "500M", "5G", "1.5G", "0", or bytes. Throws Error(bad_input).
std::uintmax_t parse_bytes(const std::string& text);

/// Removes builds, the least recently used first, until the rest is at most `limit` bytes. What was used within the
/// last `keep_s` seconds stays: another process may be about to load it. Returns what went.
CacheUse prune_cache(const std::string& folder, std::uintmax_t limit, double keep_s = 3600);

/// The same by cache_limit(), at most once a day. Never throws: a cache that cannot be pruned ends no command.
void keep_cache_small(const std::string& folder);

}  // namespace harness
