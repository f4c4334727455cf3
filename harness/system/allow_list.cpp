#include "harness/system/allow_list.h"

#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

#include "harness/system/processor.h"

namespace harness {
namespace {

constexpr unsigned kKillProcess = SECCOMP_RET_KILL_PROCESS, kAllowCall = SECCOMP_RET_ALLOW;

sock_filter plain(int code, unsigned value) {
  return {static_cast<unsigned short>(code), 0, 0, value};
}
sock_filter unless_equal(unsigned value, std::size_t skipped) {
  return {BPF_JMP | BPF_JEQ | BPF_K, 0, static_cast<unsigned char>(skipped), value};
}
sock_filter load_number() {
  return plain(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr));
}

}  // namespace

AllowList::AllowList() {
  program_ = {plain(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
              {BPF_JMP | BPF_JEQ | BPF_K, 1, 0, kAuditArchitecture},
              plain(BPF_RET | BPF_K, kKillProcess),
              load_number()};
}

void AllowList::allow(int call) {
  program_.push_back(unless_equal(static_cast<unsigned>(call), 1));
  program_.push_back(plain(BPF_RET | BPF_K, kAllowCall));
}

void AllowList::allow_where(int call, std::initializer_list<Condition> conditions) {
  program_.push_back(unless_equal(static_cast<unsigned>(call), 3 * conditions.size() + 2));
  std::size_t left = conditions.size();
  for (const Condition& condition : conditions) {
    --left;
    const std::size_t at = offsetof(seccomp_data, args) + 8 * condition.argument + (condition.high ? 4 : 0);
    program_.push_back(plain(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(at)));
    program_.push_back(plain(BPF_ALU | BPF_AND | BPF_K, condition.mask));
    program_.push_back(unless_equal(condition.value, 3 * left + 1));
  }
  program_.push_back(plain(BPF_RET | BPF_K, kAllowCall));
  program_.push_back(load_number());  // for the next rule
}

void AllowList::fail(int call, int error) {
  program_.push_back(unless_equal(static_cast<unsigned>(call), 1));
  program_.push_back(plain(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)));
}

bool AllowList::enter() const {
  std::vector<sock_filter> whole = program_;
  whole.push_back(plain(BPF_RET | BPF_K, kKillProcess));
  const sock_fprog program{static_cast<unsigned short>(whole.size()), whole.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

}  // namespace harness
