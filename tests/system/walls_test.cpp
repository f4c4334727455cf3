#include "harness/system/walls.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <functional>

#include "tests/support/program.h"
#include "tests/support/skip.h"

using namespace harness;
using namespace harness::tests;

namespace {

// The errno that a confined child met with in `attempt`, which returns false where it failed; 0 where it succeeded.
int refused_with(const Walls& walls, const Reach& reach, const std::function<bool()>& attempt) {
  const Confinement confinement(walls, reach);
  const pid_t child = fork();
  if (child == 0) {
    if (!confinement.enter()) _exit(kNotConfined);
    errno = 0;
    _exit(attempt() ? 0 : errno);
  }
  const int status = wait_for(child);
  REQUIRE(status != kNotConfined);
  return status;
}

bool can_open(const std::string& path, int flags = O_RDONLY) {
  return open(path.c_str(), flags, 0600) >= 0;
}

}  // namespace

TEST_CASE("what holds here is said in words") {
  const Walls walls = walls_here();
  WARN(in_words(walls));
  CHECK_FALSE(in_words(walls).empty());
  CHECK(in_words({}).find("every file") != std::string::npos);
  CHECK(in_words({.landlock = true}).find("whether other files exist") != std::string::npos);
}

TEST_CASE("out of reach, a file does not exist; within, it is read and cannot be written") {
  if (!walls_here().own_root) return skip("this machine gives no namespaces");
  const Scratch scratch;
  scratch.write("mine/header.h", "1");
  scratch.write("theirs/secret", "2");
  scratch.write("writable/old", "3");
  const Walls walls{.own_root = true};
  const Reach reach{{scratch.path("mine")}, {}, scratch.path("writable")};
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("mine/header.h")); }) == 0);
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("mine/header.h"), O_WRONLY); }) == EROFS);
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("mine/new"), O_WRONLY | O_CREAT); }) == EROFS);
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("theirs/secret")); }) == ENOENT);
  CHECK(refused_with(walls, reach, [&] { return access(scratch.path("theirs").c_str(), F_OK) == 0; }) == ENOENT);
  CHECK(refused_with(walls, reach, [&] { return can_open("/etc/passwd"); }) == ENOENT);
  CHECK(refused_with(walls, reach, [&] { return can_open("/proc/self/environ"); }) == ENOENT);
  CHECK(refused_with(walls, reach, [&] { return can_open("/new-file", O_WRONLY | O_CREAT); }) == EROFS);
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("writable/new"), O_WRONLY | O_CREAT); }) == 0);
  CHECK(access(scratch.path("writable/new").c_str(), F_OK) == 0);
}

TEST_CASE("a link out of reach leads nowhere") {
  if (!walls_here().own_root) return skip("this machine gives no namespaces");
  const Scratch scratch;
  scratch.write("mine/header.h", "1");
  REQUIRE(symlink("/etc/passwd", scratch.path("mine/link").c_str()) == 0);
  CHECK(refused_with({.own_root = true}, {{scratch.path("mine")}, {}, ""},
                     [&] { return can_open(scratch.path("mine/link")); }) == ENOENT);
}

TEST_CASE("Landlock alone keeps files from being opened") {
  if (!walls_here().landlock) return skip("this kernel has no Landlock");
  const Scratch scratch;
  scratch.write("mine/header.h", "1");
  scratch.write("theirs/secret", "2");
  scratch.write("writable/old", "3");
  const Walls walls{.landlock = true};
  const Reach reach{{scratch.path("mine")}, {}, scratch.path("writable")};
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("mine/header.h")); }) == 0);
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("mine/header.h"), O_WRONLY); }) == EACCES);
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("theirs/secret")); }) == EACCES);
  CHECK(refused_with(walls, reach, [&] { return can_open("/etc/passwd"); }) == EACCES);
  CHECK(refused_with(walls, reach, [&] { return execl("/bin/true", "true", nullptr) == 0; }) == EACCES);
  CHECK(refused_with(walls, reach, [&] { return can_open(scratch.path("writable/new"), O_WRONLY | O_CREAT); }) == 0);
}

TEST_CASE("the filter leaves no network and no way to other processes, by any spelling") {
  if (!walls_here().filter) return skip("this kernel has no seccomp filters");
  const Walls walls{.filter = true};
  CHECK(refused_with(walls, {}, [] { return socket(AF_INET, SOCK_STREAM, 0) >= 0; }) == EPERM);
  CHECK(refused_with(walls, {}, [] { return socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }) == EPERM);
  CHECK(refused_with(walls, {}, [] { return kill(getppid(), 0) == 0; }) == EPERM);
  CHECK(refused_with(walls, {}, [] { return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0; }) == EPERM);
  CHECK(refused_with(walls, {}, [] { return unshare(CLONE_NEWUSER) == 0; }) == EPERM);
  CHECK(refused_with(walls, {}, [] { return access("/etc/passwd", F_OK) == 0; }) == 0);
  CHECK(refused_with(walls, {}, [] {
          const pid_t child = fork();
          if (child == 0) _exit(0);
          return waitpid(child, nullptr, 0) == child;
        }) == 0);
}

TEST_CASE("with all walls there is no capability left, and no other process to see") {
  const Walls walls = walls_here();
  if (!walls.own_root) return skip("this machine gives no namespaces");
  CHECK(refused_with(walls, {}, [] { return getpid() == 1; }) == 0);
  CHECK(refused_with(walls, {}, [] { return prctl(PR_CAPBSET_DROP, 0) == 0; }) == EPERM);
}
