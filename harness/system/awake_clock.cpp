#include "harness/system/awake_clock.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

namespace harness {
namespace {

constexpr std::int64_t kTickNs = 10'000'000;
// A thread that wakes later than this was not late because others run: the process was stopped.
constexpr std::int64_t kStopNs = 500'000'000;

std::atomic<std::int64_t> last_tick_ns{0}, stopped_ns{0};
std::atomic<void (*)()> tell_awake{nullptr};

std::int64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

/// Until the watcher has seen how long a stop was, time goes on only as far as it will have counted of it.
std::int64_t awake_ns() {
  const std::int64_t tick = last_tick_ns.load(), stopped = stopped_ns.load(), now = now_ns(CLOCK_MONOTONIC);
  return (tick == 0 ? now : std::min(now, tick + kStopNs)) - stopped;
}

[[noreturn]] void watch() {
  for (;;) {
    const timespec tick{0, kTickNs};
    nanosleep(&tick, nullptr);
    const std::int64_t now = now_ns(CLOCK_MONOTONIC), gap = now - last_tick_ns.load();
    if (gap > kStopNs) stopped_ns += gap - kStopNs;
    last_tick_ns = now;
    if (void (*const tell)() = tell_awake.load()) tell();
  }
}

// A process that was started by `exec` is as old as the shell that it was: the program's own beginning counts. The
// initialiser below runs before main; a forked child's beginning is the fork.
std::atomic<double> program_began_s{0};

const bool began [[maybe_unused]] = [] {
  program_began_s = static_cast<double>(awake_ns()) * 1e-9;
  pthread_atfork(nullptr, nullptr, [] {
    last_tick_ns = 0;  // nobody watches in a forked child
    program_began_s = static_cast<double>(awake_ns()) * 1e-9;
  });
  return true;
}();

}  // namespace

double awake_seconds() {
  return static_cast<double>(awake_ns()) * 1e-9;
}

double awake_at_start() {
  return program_began_s;
}

void leave_uncharged(double seconds) {
  program_began_s = program_began_s + std::max(0.0, seconds);
}

void watch_for_stops() {
  static pid_t watched = 0;
  if (watched == getpid()) return;
  watched = getpid();
  last_tick_ns = now_ns(CLOCK_MONOTONIC);
  std::thread(watch).detach();
}

void call_when_awake(void (*tell)()) {
  tell_awake = tell;
}

}  // namespace harness
