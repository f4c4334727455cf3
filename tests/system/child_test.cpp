#include "harness/system/child.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdlib>

#include "harness/system/pipe.h"
#include "tests/support/program.h"

using namespace harness;

namespace {

using Clock = std::chrono::steady_clock;

// What `body` writes to its standard output.
std::string output_of(const std::function<int()>& body) {
  Pipe pipe;
  Child child({.output = pipe.write_end.get()}, body);
  pipe.write_end.reset();
  std::string text;
  read_until_closed({{pipe.read_end.get(), [&](std::string_view part) { return text.append(part), true; }}},
                    Clock::now() + std::chrono::seconds(20));
  child.wait();
  return text;
}

bool is_gone(pid_t process) {
  for (int i = 0; i < 500; ++i) {
    if (kill(process, 0) != 0 && errno == ESRCH) return true;
    const std::string state = "/proc/" + std::to_string(process) + "/stat";
    std::string line(200, '\0');
    const Descriptor file(open(state.c_str(), O_RDONLY));
    line.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(file.get(), line.data(), line.size()))));
    if (line.find(") Z ") != std::string::npos) return true;  // dead, and nobody here reaps orphans
    usleep(10'000);
  }
  return false;
}

}  // namespace

TEST_CASE("a child's end is told: a status or a signal") {
  CHECK(Child({}, [] { return 7; }).wait().status() == 7);
  const ChildEnd end = Child({}, [] { return raise(SIGUSR1); }).wait();
  CHECK(end.signaled);
  CHECK(end.code == SIGUSR1);
  CHECK(end.status() == 128 + SIGUSR1);
}

TEST_CASE("a child has an empty input, its output goes where it was told, and it leads a group of its own") {
  CHECK(output_of([] {
          char byte;
          const bool empty = read(STDIN_FILENO, &byte, 1) == 0;
          return write(STDOUT_FILENO, empty && getpgrp() == getpid() ? "yes" : "no", 3) < 0;
        }).substr(0, 3) == "yes");
  CHECK(output_of([] { return write(STDERR_FILENO, "complaint", 9) < 0; }) == "complaint");
}

TEST_CASE("no descriptor of this process comes through exec") {
  const Descriptor secret(open("/etc/passwd", O_RDONLY));  // would be inherited
  std::vector<std::string> words{"/bin/sh", "-c", "ls /proc/self/fd | wc -l"}, none;
  const auto argv = exec_list(words), environment = exec_list(none);
  const std::string count = output_of([&] { return execve(argv[0], argv.data(), environment.data()); });
  CHECK(std::stoi(count) == 4);  // three, and the folder that ls reads
}

TEST_CASE("what a child started is gone with it, whether it ends or is killed") {
  const bool ends = GENERATE(true, false);
  Pipe pipe;
  Child child({.output = pipe.write_end.get()}, [&] {
    if (fork() == 0) {
      sleep(60);
      _exit(0);
    }
    const pid_t own = getpid();
    (void)!write(STDOUT_FILENO, &own, sizeof own);
    if (!ends) sleep(60);
    return 0;
  });
  pipe.write_end.reset();
  pid_t told = 0;
  REQUIRE(read(pipe.read_end.get(), &told, sizeof told) == sizeof told);
  CHECK(told == child.id());
  if (!ends) child.kill();
  const ChildEnd end = child.wait();
  CHECK(end.signaled == !ends);
  // The grandchild held the pipe open: it closes when that is dead too.
  CHECK(read_until_closed({{pipe.read_end.get(), [](std::string_view) { return true; }}},
                          Clock::now() + std::chrono::seconds(10)));
}

TEST_CASE("a child dies with its parent") {
  Pipe pipe;
  Child parent({.output = pipe.write_end.get()}, [] {
    const Child child({}, [] { return static_cast<int>(sleep(60)); });
    const pid_t id = child.id();
    (void)!write(STDOUT_FILENO, &id, sizeof id);
    _exit(0);  // no destructor
    return 0;
  });
  pid_t grandchild = 0;
  REQUIRE(read(pipe.read_end.get(), &grandchild, sizeof grandchild) == sizeof grandchild);
  CHECK(parent.wait().status() == 0);
  CHECK(is_gone(grandchild));
}

TEST_CASE("one that does not end is waited for as long as patience says, then killed") {
  const auto begin = Clock::now();
  Child child({}, [] { return static_cast<int>(sleep(60)); });
  CHECK_FALSE(child.ends_within(0.05));
  CHECK_FALSE(child.ends_within(60, [] { return true; }));
  const ChildEnd end = child.wait(0.05);
  CHECK(end.status() == 128 + SIGKILL);
  CHECK(end.lingered);  // not somebody else's doing
  CHECK(Clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("limits of processor time and of files hold, and there are no core dumps") {
  CHECK(Child({.limits = {.cpu_s = 1}},
              [] {
                for (;;) getppid();
                return 0;
              })
            .wait(20)
            .signaled);
  const tests::Scratch scratch;
  scratch.write("old", "");
  CHECK(Child({.limits = {.file_bytes = 10}},
              [&] {
                const int file = open(scratch.path("old").c_str(), O_WRONLY);
                return write(file, "0123456789more", 14) == 10 && write(file, "x", 1) < 0 ? 1 : 0;
              })
            .wait()
            .status() == 128 + SIGXFSZ);
  CHECK(Child({},
              [] {
                rlimit core{1, 1};
                getrlimit(RLIMIT_CORE, &core);
                return static_cast<int>(core.rlim_max);
              })
            .wait()
            .status() == 0);
}

TEST_CASE("a child that is moved or destroyed is killed once") {
  Child first({}, [] { return static_cast<int>(sleep(60)); });
  const pid_t id = first.id();
  {
    const Child second = std::move(first);
    CHECK(second.id() == id);
    CHECK(kill(id, 0) == 0);
  }
  CHECK(is_gone(id));
}
