#include "harness/system/awake_clock.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "harness/system/process_stat.h"
#include "harness/system/pulse.h"

namespace harness {
namespace {

constexpr std::int64_t kTickNs = 10'000'000;
// A thread that wakes later than this was not late because others run: the process was stopped.
constexpr std::int64_t kStopNs = 500'000'000;
constexpr int kStartTime = 22;  // of a process, in ticks since boot

std::atomic<std::int64_t> last_tick_ns{0}, stopped_ns{0};

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
    beat_pulses();
  }
}

double age_at_first_look() {
  const double started = std::atof(process_stat(getpid(), kStartTime).c_str());
  if (started <= 0) return 0;
  return static_cast<double>(now_ns(CLOCK_BOOTTIME)) * 1e-9 - started / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

double awake_seconds() {
  return static_cast<double>(awake_ns()) * 1e-9;
}

double awake_at_start() {
  static double start = 0;
  static pid_t of = 0;  // a forked child has a start of its own
  if (of != getpid()) {
    start = awake_seconds() - std::max(0.0, age_at_first_look());
    of = getpid();
  }
  return start;
}

void watch_for_stops() {
  static pid_t watched = 0;
  if (watched == getpid()) return;
  if (watched == 0) pthread_atfork(nullptr, nullptr, [] { last_tick_ns = 0; });  // nobody watches in a forked child
  watched = getpid();
  forget_pulses();
  awake_at_start();
  last_tick_ns = now_ns(CLOCK_MONOTONIC);
  std::thread(watch).detach();
}

}  // namespace harness
