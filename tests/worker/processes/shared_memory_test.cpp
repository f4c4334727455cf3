#include "harness/worker/processes/shared_memory.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>

#include "harness/core/error.h"

using namespace harness;

namespace {

ino_t file_of(const SharedMemory& memory) {
  struct stat status {};
  REQUIRE(fstat(memory.descriptor(), &status) == 0);
  return status.st_ino;
}

}  // namespace

TEST_CASE("memory that was given up is handed out again, where it has room and not far too much") {
  MemoryPool pool;
  ino_t first = 0;
  {
    const SharedMemory memory = pool.take(1000);
    CHECK(memory.bytes().size() == 1000);
    memory.bytes()[0] = std::byte{7};
    first = file_of(memory);
    const SharedMemory beside = pool.take(1000);
    CHECK(file_of(beside) != first);
  }
  {
    const SharedMemory other = pool.take(1000), again = pool.take(990);
    CHECK((file_of(other) == first || file_of(again) == first));
    CHECK(again.bytes().size() == 990);
  }
  CHECK(pool.take(100).bytes()[0] == std::byte{0});  // new
  CHECK(pool.take(100000).bytes().size() == 100000);
}

TEST_CASE("a pool keeps no more than it may, and what was taken of it may outlive it") {
  std::optional<MemoryPool> pool(std::in_place, 5000);
  { const SharedMemory one = pool->take(4000), other = pool->take(4000); }
  const SharedMemory kept = pool->take(4000), made = pool->take(4000);
  made.bytes()[3999] = std::byte{1};
  pool.reset();
  kept.bytes()[3999] = std::byte{2};
  CHECK(made.bytes()[3999] == std::byte{1});
}

TEST_CASE("images of gigabytes stay for another use, with little to spare") {
  constexpr std::size_t kGigabyte = std::size_t{1} << 30;
  CHECK(kept_image_bytes() >= 2 * kGigabyte);
  CHECK(kept_image_bytes() <= 16 * kGigabyte);
  MemoryPool pool;
  ino_t first = 0;
  {
    const SharedMemory memory = pool.take(kGigabyte + kGigabyte / 2);  // no page of it is touched
    struct stat status {};
    REQUIRE(fstat(memory.descriptor(), &status) == 0);
    CHECK(static_cast<std::size_t>(status.st_size) <= kGigabyte + kGigabyte / 2 + (std::size_t{64} << 20));
    first = status.st_ino;
  }
  CHECK(file_of(pool.take(kGigabyte + kGigabyte / 2)) == first);
}

TEST_CASE("the other end knows memory again by any descriptor of it, and prepares it once") {
  int prepared = 0, released = 0;
  MemoryPool pool;
  {
    MappedMemory mapped([&](std::span<std::byte> memory) {
      ++prepared;
      return std::shared_ptr<void>(memory.data(), [&](void*) { ++released; });
    });
    const SharedMemory own = pool.take(5000);
    own.bytes()[10] = std::byte{42};
    const SharedMemory once = mapped.map(dup(own.descriptor()), 5000), again = mapped.map(dup(own.descriptor()), 300);
    CHECK(prepared == 1);
    CHECK(again.bytes().data() == once.bytes().data());
    CHECK(again.bytes().size() == 300);
    CHECK(once.bytes()[10] == std::byte{42});
    REQUIRE_THROWS_AS(mapped.map(dup(own.descriptor()), 1 << 20), Error);
    for (int i = 0; i < 136; ++i) mapped.map(dup(SharedMemory(100).descriptor()), 100);
    CHECK(released == 8);  // of 137 the last 128 are kept; one of those that went is still in use
    REQUIRE_THROWS_AS(mapped.map(-1, 100), Error);
  }
  CHECK(released == prepared);
}
