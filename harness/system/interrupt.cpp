#include "harness/system/interrupt.h"

#include <signal.h>
#include <unistd.h>

namespace harness {
namespace {

volatile sig_atomic_t flag = 0;

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

}  // namespace harness
