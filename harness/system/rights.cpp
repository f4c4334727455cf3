#include "harness/system/rights.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "harness/core/error.h"
#include "harness/system/resource_limits.h"

namespace harness {
namespace {

// What a running kernel and the runner's own loop need: memory, threads that exist already, the socket, time, exit.
// mprotect stays allowed: glibc needs it for lazily bound libraries and thread stacks.
constexpr int kAllowed[] = {SYS_read,
                            SYS_write,
                            SYS_writev,
                            SYS_close,
                            SYS_recvmsg,
                            SYS_sendmsg,
                            SYS_poll,
                            SYS_ppoll,
                            SYS_futex,
                            SYS_mmap,
                            SYS_munmap,
                            SYS_mremap,
                            SYS_mprotect,
                            SYS_madvise,
                            SYS_brk,
                            SYS_exit,
                            SYS_exit_group,
                            SYS_rt_sigreturn,
                            SYS_rt_sigprocmask,
                            SYS_rt_sigaction,
                            SYS_sigaltstack,
                            SYS_clock_gettime,
                            SYS_clock_nanosleep,
                            SYS_nanosleep,
                            SYS_gettimeofday,
                            SYS_sched_yield,
                            SYS_getpid,
                            SYS_gettid,
                            SYS_fstat,
                            SYS_newfstatat,
                            SYS_lseek,
                            SYS_restart_syscall,
                            SYS_getrandom,
                            SYS_sched_getaffinity,
                            SYS_rseq,
                            SYS_set_robust_list,
                            SYS_membarrier};

sock_filter statement(unsigned short code, unsigned value) {
  return {code, 0, 0, value};
}

constexpr unsigned kKill = SECCOMP_RET_KILL_PROCESS, kAllow = SECCOMP_RET_ALLOW;

// Allows `call` where argument `index`, masked, equals `value`; its low 32 bits decide (flags and process numbers have
// no more).
void allow_if(std::vector<sock_filter>& program, int call, unsigned index, unsigned mask, unsigned value) {
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 5, static_cast<unsigned>(call)});
  program.push_back(
      statement(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, args) + 8 * index)));
  program.push_back(statement(BPF_ALU | BPF_AND | BPF_K, mask));
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, value});
  program.push_back(statement(BPF_RET | BPF_K, kAllow));
  program.push_back(statement(BPF_RET | BPF_K, kKill));
}

// abort(), or a signal that is none, to this process alone: one that kills or stops it comes from outside.
void allow_abort(std::vector<sock_filter>& program) {
  const auto argument = [](unsigned index) {
    return statement(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offsetof(seccomp_data, args) + 8 * index));
  };
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 7, SYS_tgkill});
  program.push_back(argument(0));
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 4, static_cast<unsigned>(getpid())});
  program.push_back(argument(2));
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 0});
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SIGABRT});
  program.push_back(statement(BPF_RET | BPF_K, kAllow));
  program.push_back(statement(BPF_RET | BPF_K, kKill));
}

std::vector<sock_filter> allow_list(bool loading) {
  std::vector<sock_filter> program;
  program.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)));
  program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 1, 0, AUDIT_ARCH_X86_64});
  program.push_back(statement(BPF_RET | BPF_K, kKill));
  program.push_back(statement(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (int call : kAllowed) {
    program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<unsigned>(call)});
    program.push_back(statement(BPF_RET | BPF_K, kAllow));
  }
  allow_abort(program);
  if (loading) {
    allow_if(program, SYS_openat, 2, O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND, O_RDONLY);
    allow_if(program, SYS_prlimit64, 0, ~0U, 0);  // of this process alone
    for (int call : {SYS_pread64, SYS_prctl, SYS_seccomp}) {
      program.push_back({BPF_JMP | BPF_JEQ | BPF_K, 0, 1, static_cast<unsigned>(call)});
      program.push_back(statement(BPF_RET | BPF_K, kAllow));
    }
  }
  program.push_back(statement(BPF_RET | BPF_K, kKill));
  return program;
}

// Beyond what is mapped now (stacks, images): what a kernel may allocate with malloc.
constexpr rlim_t kHeapBytes = rlim_t{8} << 30;

void install(bool loading) {
  std::vector<sock_filter> filter = allow_list(loading);
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
    throw environment_error(fmt::format("cannot take the runner's rights away (seccomp): {}", std::strerror(errno)));
}

}  // namespace

void restrict_for_loading() {
  ResourceLimits limits{.file_bytes = 16 << 20};  // the captured output is a file in memory
#ifndef __SANITIZE_ADDRESS__                      // whose shadow is terabytes of address space
  limits.memory_bytes = mapped_bytes() + kHeapBytes;
#endif
  limits.enter();
  install(true);
}

void drop_rights() {
  // glibc looks into /proc before it gives the end of a thread's heap back to the system; so it shall keep it.
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  const rlimit no_more_files{0, 0};
  setrlimit(RLIMIT_NOFILE, &no_more_files);
  install(false);
}

}  // namespace harness
