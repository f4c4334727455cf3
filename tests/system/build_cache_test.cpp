#include "harness/system/build_cache.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

std::string stored(const BuildCache& cache, const std::string& key, const std::string& text) {
  const std::string scratch = cache.scratch();
  write_file(scratch + "/module", text);
  return cache.store(key, scratch);
}

}  // namespace

TEST_CASE("a build is found under its key, by another process's cache too") {
  const Scratch scratch;
  const BuildCache cache(scratch.path("cache"));
  CHECK_FALSE(cache.find("key"));
  const std::string place = stored(cache, "key", "code");
  CHECK(BuildCache(scratch.path("cache")).find("key") == place);
  CHECK(read_file(place + "/module") == "code");
  CHECK(fs::path(place).is_absolute());
  CHECK_FALSE(cache.find("other"));
}

TEST_CASE("of two processes that build the same, the first is kept and neither leaves anything behind") {
  const Scratch scratch;
  const BuildCache cache(scratch.path("cache"));
  const std::string first = stored(cache, "key", "first");
  CHECK(stored(cache, "key", "second") == first);
  CHECK(read_file(first + "/module") == "first");
  CHECK(fs::is_empty(scratch.path("cache/scratch")));
}

TEST_CASE("a damaged build is removed and stored anew") {
  const Scratch scratch;
  const BuildCache cache(scratch.path("cache"));
  stored(cache, "key", "damaged");
  cache.remove("key");
  CHECK_FALSE(cache.find("key"));
  CHECK(read_file(stored(cache, "key", "whole") + "/module") == "whole");
}

TEST_CASE("what killed builds left goes after an hour, what is being built stays") {
  const Scratch scratch;
  const BuildCache cache(scratch.path("cache"));
  const std::string orphan = cache.scratch(), running = cache.scratch();
  write_file(orphan + "/candidate.o", "half");
  fs::last_write_time(orphan, fs::file_time_type::clock::now() - std::chrono::hours(2));
  const BuildCache later(scratch.path("cache"));
  CHECK_FALSE(fs::exists(orphan));
  CHECK(fs::exists(running));
}

TEST_CASE("notes are replaced whole") {
  const Scratch scratch;
  const BuildCache cache(scratch.path("cache"));
  CHECK_FALSE(cache.note("request"));
  cache.keep_note("request", "[1]");
  cache.keep_note("request", "[2]");
  CHECK(BuildCache(scratch.path("cache")).note("request") == "[2]");
  CHECK(fs::is_empty(scratch.path("cache/scratch")));
}

TEST_CASE("a cache that cannot be made is the environment's fault, once something is to be written") {
  const Scratch scratch;
  scratch.write("file", "");
  const BuildCache cache(scratch.path("file/cache"));
  CHECK_FALSE(cache.find("key"));
  CHECK_THROWS_WITH(cache.scratch(), Catch::Contains("set HARNESS_CACHE"));
}
