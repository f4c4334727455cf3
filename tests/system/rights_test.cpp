#include "harness/system/rights.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "harness/system/processor.h"
#include "harness/system/walls.h"
#include "tests/support/skip.h"

using namespace harness;

namespace {

// The signal that ended a child; 0 if it stopped, which is how one without rights says that it came through.
int end_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, WUNTRACED);
  if (WIFSTOPPED(status)) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return 0;
  }
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

// The signal that ended a child which dropped its rights and then did `forbidden`; 0 if it came through.
int signal_after(const std::function<void()>& forbidden, const Cage& cage = {}) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);  // the test program's own handler would write
    restrict_for_loading(cage);
    stand_alone(getppid());
    drop_rights();
    forbidden();
    stop_here();
  }
  return end_of(child);
}

// The same of a thread that existed before the rights were dropped.
int signal_after_in_a_thread(const std::function<void()>& work, const Cage& cage = {}) {
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<bool> started = false, dropped = false, done = false;
    signal(SIGSEGV, SIG_DFL);
    restrict_for_loading(cage);
    std::thread other([&] {
      started = true;
      while (!dropped) std::this_thread::yield();
      work();
      done = true;
      for (;;) std::this_thread::yield();
    });
    while (!started) std::this_thread::yield();
    stand_alone(getppid());
    drop_rights();
    dropped = true;
    while (!done) std::this_thread::yield();
    stop_here();
  }
  return end_of(child);
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

TEST_CASE("without rights a process cannot kill or stop itself by a signal") {
  for (const int signal : {SIGKILL, SIGSTOP, SIGTERM}) CHECK(signal_after([=] { raise(signal); }) == SIGSYS);
}

TEST_CASE("no system call tells a candidate the time, waits for it, or says who it is") {
  CHECK(signal_after([] {
          timespec now;
          syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
        }) == SIGSYS);
  const timespec moment{0, 1000};
  CHECK(signal_after([&] { syscall(SYS_nanosleep, &moment, nullptr); }) == SIGSYS);
  CHECK(signal_after([&] {
          int word = 0;
          syscall(SYS_futex, &word, FUTEX_WAIT, 0, &moment);
        }) == SIGSYS);
  CHECK(signal_after([] {
          int word = 1;
          syscall(SYS_futex, &word, FUTEX_WAIT, 0, nullptr);  // not equal: it does not wait
        }) == 0);
  CHECK(signal_after([] { syscall(SYS_getpid); }) == SIGSYS);
  CHECK(signal_after([] { syscall(SYS_read, 0, nullptr, 0); }) == SIGSYS);
  CHECK(signal_after([] { mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }) == SIGSYS);
}

TEST_CASE("without clocks the time stamp counter ends a process, in every thread, or it is said that it does not") {
  const Cage cage{.clocks = true};
  if (!cage_here().clocks) return tests::skip("this kernel cannot hide the time stamp counter");
  const int expected = cage_here().counter ? SIGSEGV : 0;
  CHECK(signal_after(read_time_counter, cage) == expected);
  CHECK(signal_after_in_a_thread(read_time_counter, cage) == expected);
  CHECK((describe(cage_here()).find("nothing tells them the time") != std::string::npos) == cage_here().counter);
}

TEST_CASE("without clocks the vDSO and the page of vsyscalls end a process") {
  const Cage cage{.clocks = true};
  if (!cage_here().clocks) return tests::skip("this kernel cannot hide the time stamp counter");
  CHECK(signal_after([] {}, cage) == 0);
  timespec now;
  CHECK(signal_after([&] { clock_gettime(CLOCK_MONOTONIC_COARSE, &now); }, cage) == SIGSEGV);
#ifdef __x86_64__
  const int old_door = signal_after([] { reinterpret_cast<long (*)(long*)>(0xffffffffff600400ul)(nullptr); }, cage);
  CHECK((old_door == SIGSYS || old_door == SIGSEGV));
#endif
}

TEST_CASE("in a cage only the named files can be opened while a candidate is loaded") {
  if (!cage_here().around_files()) return tests::skip("this kernel has neither Landlock nor namespaces");
  Cage cage = cage_here();
  for (const bool by_root : {false, true}) {
    if (by_root && !walls_here().own_root) continue;
    if (by_root) cage = {.own_root = true};
    const pid_t child = fork();
    if (child == 0) {
      restrict_for_loading(cage, {"/etc/hostname"});
      const bool named = open("/etc/hostname", O_RDONLY) >= 0;
      const bool others = open("/etc/passwd", O_RDONLY) >= 0 || open("/proc/self/maps", O_RDONLY) >= 0;
      _exit(named && !others ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    INFO("by a root of its own: " << by_root);
    CHECK(status == 0);
  }
}

TEST_CASE("threads do not know the number that the machine gave them") {
  static std::atomic<int> known = -1;
  std::thread([] {
    const auto own = static_cast<int>(syscall(SYS_gettid));
    const auto* const block = reinterpret_cast<const volatile int*>(pthread_self());
    const auto count = [&] {
      int found = 0;
      for (int i = 0; i < 256; i += 2) found += block[i] == own;  // the other halves are of addresses
      return found;
    };
    const int before = count();
    forget_thread_number(7);
    known = before > 0 ? count() : -1;
  }).detach();
  for (int i = 0; i < 1000 && known < 0; ++i) usleep(1000);
  CHECK(known == 0);
}
