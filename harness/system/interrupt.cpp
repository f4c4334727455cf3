#include "harness/system/interrupt.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>

namespace harness {
namespace {

volatile sig_atomic_t flag = 0, by_deadline = 0;

void note(int) {
  if (flag != 0) _exit(130);
  flag = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action {};
  action.sa_handler = note;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool interrupted() {
  return flag != 0;
}

void interrupt_after(double seconds) {
  struct sigaction action {};
  action.sa_handler = [](int) {
    if (flag == 0) by_deadline = 1;
    flag = 1;
  };
  sigaction(SIGALRM, &action, nullptr);
  const double whole = std::floor(seconds);
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(whole);
  timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - whole) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}

bool deadline_passed() {
  return by_deadline != 0;
}

}  // namespace harness
