#include "harness/system/cache_limit.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/build_cache.h"
#include "harness/system/files.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

/// A build of 1,000 bytes that was last used `hours` ago.
std::string used_before(const BuildCache& cache, const std::string& key, int hours) {
  const std::string scratch = cache.scratch();
  write_file(scratch + "/module", std::string(1000, 'x'));
  const std::string place = cache.store(key, scratch);
  fs::last_write_time(place, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  return place;
}

}  // namespace

TEST_CASE("what was not used for longest goes first, of all caches below a folder, and what is in use stays") {
  const Scratch scratch;
  const BuildCache cpu(scratch.path("cache/cpu")), cuda(scratch.path("cache/cuda"));
  const std::string oldest = used_before(cpu, "a", 9), older = used_before(cuda, "b", 8),
                    old = used_before(cpu, "c", 7);
  const std::string now = used_before(cpu, "d", 0);
  CHECK(cache_use(scratch.path("cache")).builds == 4);
  CHECK(cache_use(scratch.path("cache")).bytes == 4000);
  CHECK(cpu.find("a") == oldest);  // a use: it is the youngest now
  const CacheUse gone = prune_cache(scratch.path("cache"), 3000);
  CHECK(gone.builds == 1);
  CHECK(gone.bytes == 1000);
  CHECK_FALSE(fs::exists(older));
  CHECK(fs::exists(old));
  prune_cache(scratch.path("cache"), 0);
  CHECK_FALSE(fs::exists(old));
  CHECK(fs::exists(oldest));  // used within the hour
  CHECK(fs::exists(now));
  prune_cache(scratch.path("cache"), 0, 0);
  CHECK(cache_use(scratch.path("cache")).builds == 0);
  CHECK(cache_use(scratch.path("absent")).builds == 0);
}

TEST_CASE("sizes are written with a unit, and anything else is refused") {
  CHECK(parse_bytes("500") == 500);
  CHECK(parse_bytes("2K") == 2048);
  CHECK(parse_bytes("1.5G") == std::uintmax_t{3} << 29);
  for (const char* wrong : {"", "G", "5X", "-1G", "1e30G"}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_bytes(wrong), Error);
  }
}
