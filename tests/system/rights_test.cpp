#include "harness/system/rights.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

using namespace harness;

namespace {

// The signal that ended a child which dropped its rights and then did `forbidden`; 0 if it came through.
int signal_after(const std::function<void()>& forbidden) {
  const pid_t child = fork();
  if (child == 0) {
    restrict_for_loading();
    drop_rights();
    forbidden();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// The same of a thread that existed before the rights were dropped.
int signal_after_in_a_thread(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<bool> dropped = false;
    std::thread other([&] {
      while (!dropped) std::this_thread::yield();
      work();
    });
    restrict_for_loading();
    drop_rights();
    dropped = true;
    other.join();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("without rights a process can compute and allocate") {
  CHECK(signal_after([] {
          volatile char* memory = static_cast<char*>(std::malloc(8 << 20));
          memory[4 << 20] = 1;
        }) == 0);
}

TEST_CASE("without rights a thread can free what it allocated") {
  CHECK(signal_after_in_a_thread([] {
          std::vector<void*> memory(400);
          for (void*& each : memory) each = std::malloc(100'000);
          for (auto each = memory.rbegin(); each != memory.rend(); ++each) std::free(*each);
        }) == 0);
}

TEST_CASE("without rights it can open no file, start no process, reach no network and trace nobody") {
  CHECK(signal_after([] { open("/etc/passwd", O_RDONLY); }) == SIGSYS);
  CHECK(signal_after([] {
          if (fork() == 0) _exit(0);
        }) == SIGSYS);
  CHECK(signal_after([] { socket(AF_INET, SOCK_STREAM, 0); }) == SIGSYS);
  CHECK(signal_after([] { ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr); }) == SIGSYS);
  CHECK(signal_after([] { execl("/bin/true", "true", nullptr); }) == SIGSYS);
  CHECK(signal_after([] { kill(getppid(), SIGTERM); }) == SIGSYS);
}

TEST_CASE("while a candidate is loaded, its constructors can write nothing, start nothing and signal nobody") {
  const auto while_loading = [](const std::function<void()>& forbidden) {
    const pid_t child = fork();
    if (child == 0) {
      restrict_for_loading();
      forbidden();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  };
  CHECK(while_loading([] { open("/etc/passwd", O_RDONLY); }) == 0);
  CHECK(while_loading([] { open("/tmp/harness-rights-test", O_WRONLY | O_CREAT, 0600); }) == SIGSYS);
  CHECK(while_loading([] {
          if (fork() == 0) _exit(0);
        }) == SIGSYS);
  CHECK(while_loading([] { tgkill(getppid(), getppid(), 0); }) == SIGSYS);
  CHECK(while_loading([] { tgkill(getpid(), gettid(), 0); }) == 0);
}

TEST_CASE("memory is bounded") {
  CHECK(signal_after([] {
          if (std::malloc(std::size_t{9} << 30) != nullptr) std::abort();
        }) == 0);
}

TEST_CASE("the rights of threads that exist already go too") {
  CHECK(signal_after([] {}) == 0);
  CHECK(signal_after_in_a_thread([] { open("/etc/passwd", O_RDONLY); }) == SIGSYS);
}

TEST_CASE("what loads a candidate may change its own limits and nobody else's") {
  const auto after_loading = [](pid_t whose) {
    const pid_t child = fork();
    if (child == 0) {
      restrict_for_loading();
      const rlimit limit{100, 100};
      _exit(prlimit(whose, RLIMIT_NOFILE, &limit, nullptr) == 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
  };
  CHECK(after_loading(0) == 0);
  const int status = after_loading(getpid());
  CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS));
}

TEST_CASE("without rights a process can abort, and kill or stop itself by no other signal") {
  CHECK(signal_after([] {
          signal(SIGABRT, SIG_DFL);  // not the test's own handler
          std::abort();
        }) == SIGABRT);
  for (const int signal : {SIGKILL, SIGSTOP, SIGTERM}) CHECK(signal_after([=] { raise(signal); }) == SIGSYS);
}
