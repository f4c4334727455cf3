#include "harness/worker/processes/device_lock.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <functional>

#include "harness/core/error.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Another process that holds the device until it is killed, or for `seconds`. Returns when it has it.
pid_t holder(const std::string& folder, double seconds = 100) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    DeviceLock lock("cuda:0", "cuda:0", folder);
    const auto hold = lock.acquire();
    if (write(ends[1], "x", 1) != 1) _exit(1);
    usleep(static_cast<useconds_t>(seconds * 1e6));
    _exit(0);
  }
  char got = 0;
  REQUIRE(read(ends[0], &got, 1) == 1);
  close(ends[0]);
  close(ends[1]);
  return child;
}

}  // namespace

TEST_CASE("one process at a time; the waiter is told who holds it, and goes on when the holder is killed") {
  const Scratch scratch;
  const std::string folder = scratch.path("locks");
  const pid_t other = holder(folder);
  DeviceLock lock("cuda:0", "cuda:0", folder);
  CHECK_FALSE(lock.try_acquire());
  CHECK_FALSE(lock.acquire({}, [] { return true; }));
  const auto begin = Clock::now();
  CHECK_FALSE(lock.acquire({}, {}, 0.1));
  CHECK(seconds_since(begin) >= 0.1);
  std::string told;
  const auto hold = lock.acquire([&](const std::string& sentence) {
    told = sentence;
    kill(other, SIGKILL);
  });
  CHECK(hold);
  CHECK(told.starts_with("waiting for cuda:0: another harness (pid " + std::to_string(other) + ", since "));
  CHECK(told.ends_with(") is timing on it"));
  CHECK(wait_for(other) == 128 + SIGKILL);
}

TEST_CASE("whoever holds it gets it again, and it is free when the last hold ends") {
  const Scratch scratch;
  DeviceLock one("cpu", "cpu", scratch.path("locks")), two("cpu", "cpu", scratch.path("locks"));
  {
    const auto outer = one.acquire();
    {
      const auto inner = one.acquire();
      CHECK(inner);
    }
    CHECK_FALSE(two.try_acquire());
  }
  CHECK(two.try_acquire());
  CHECK(DeviceLock("cuda:0", "cuda:0", scratch.path("locks")).try_acquire());  // another device, another lock
}

TEST_CASE("taking it uncontended costs microseconds") {
  const Scratch scratch;
  DeviceLock lock("cpu", "cpu", scratch.path("locks"));
  constexpr int kTimes = 1000;
  const auto begin = Clock::now();
  for (int i = 0; i < kTimes; ++i) REQUIRE(lock.acquire());
  CHECK(seconds_since(begin) / kTimes < 50e-6);
}

TEST_CASE("the folder is for every user, and what somebody else put there is not followed") {
  const Scratch scratch;
  const std::string folder = scratch.path("locks");
  { const DeviceLock lock("cpu", "cpu", folder); }
  struct stat status {};
  REQUIRE(stat(folder.c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 01777);
  REQUIRE(stat((folder + "/cpu").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0666);
  scratch.write("victim", "precious");
  REQUIRE(symlink(scratch.path("victim").c_str(), (folder + "/cuda-0").c_str()) == 0);
  CHECK_THROWS_AS(DeviceLock("cuda:0", "cuda:0", folder), Error);
  REQUIRE(mkfifo((folder + "/cuda-1").c_str(), 0666) == 0);
  CHECK_THROWS_AS(DeviceLock("cuda:1", "cuda:1", folder), Error);
  CHECK_THROWS_AS(DeviceLock("cpu", "cpu", scratch.path("victim")), Error);
}

TEST_CASE("the lock of a device is named after what the device is in every process") {
  CHECK(lock_name("cuda:GPU-ab/../c") == "cuda-GPU-ab----c");
  const Scratch scratch;
  DeviceLock one("cuda:0", "cuda:3", scratch.path("locks")), same("cuda:1", "cuda:3", scratch.path("locks"));
  const auto hold = one.try_acquire();
  CHECK_FALSE(same.try_acquire());
}
