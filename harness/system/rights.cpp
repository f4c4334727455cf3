#include "harness/system/rights.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/futex.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "harness/core/error.h"
#include "harness/system/allow_list.h"
#include "harness/system/child.h"
#include "harness/system/clocks.h"
#include "harness/system/descriptor.h"
#include "harness/system/landlock.h"
#include "harness/system/own_root.h"
#include "harness/system/processor.h"
#include "harness/system/resource_limits.h"

namespace harness {
namespace {

// Of a process that has loaded a candidate, and of its child until the candidate runs: memory, threads, what it was
// handed, its own end.
constexpr int kWhileLoading[] = {SYS_read,         SYS_write,
                                 SYS_writev,       SYS_close,
                                 SYS_close_range,  SYS_recvmsg,
                                 SYS_sendmsg,      SYS_ppoll,
                                 SYS_futex,        SYS_mmap,
                                 SYS_munmap,       SYS_mremap,
                                 SYS_mprotect,     SYS_madvise,
                                 SYS_brk,          SYS_exit,
                                 SYS_exit_group,   SYS_rt_sigreturn,
                                 SYS_rt_sigaction, SYS_rt_sigprocmask,
                                 SYS_sigaltstack,  SYS_sched_yield,
                                 SYS_getpid,       SYS_gettid,
                                 SYS_getppid,      SYS_fstat,
                                 SYS_newfstatat,   SYS_lseek,
                                 SYS_getrandom,    SYS_restart_syscall,
                                 SYS_rseq,         SYS_sched_getaffinity,
                                 SYS_membarrier,   SYS_set_robust_list,
                                 SYS_pread64,      SYS_prctl,
                                 SYS_seccomp};
// Calls by which a C library does some of these, as the processor's kernel has them.
#ifdef __x86_64__
constexpr int kOtherForms[] = {SYS_poll, SYS_dup2, SYS_stat, SYS_lstat};  // stat: before glibc 2.33
#else
constexpr int kOtherForms[] = {SYS_dup3};
#endif

// Of a running candidate. malloc asks for processors before it makes an arena.
constexpr int kWhileRunning[] = {SYS_munmap,      SYS_mremap,         SYS_madvise,           SYS_brk,
                                 SYS_sched_yield, SYS_rt_sigprocmask, SYS_sched_getaffinity, SYS_restart_syscall};

constexpr unsigned kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD;

AllowList while_loading() {
  AllowList list;
  for (const int call : kWhileLoading) list.allow(call);
  for (const int call : kOtherForms) list.allow(call);
  const auto own = static_cast<unsigned>(getpid());
  list.allow_where(SYS_tgkill, {{.argument = 0, .value = own}});
  list.allow_where(SYS_kill, {{.argument = 0, .value = 0}, {.argument = 1, .value = SIGSTOP}});
  list.allow_where(SYS_setpgid, {{.argument = 0, .value = 0}, {.argument = 1, .value = 0}});
  list.allow_where(SYS_openat, {{.argument = 2, .mask = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND, .value = O_RDONLY}});
  list.allow_where(SYS_prlimit64, {{.argument = 0, .value = 0}});  // of this process alone
  list.allow_where(SYS_clone, {{.argument = 0, .mask = kThread, .value = kThread}});
  list.allow_where(SYS_clone, {{.argument = 0, .value = CLONE_PARENT | SIGCHLD}});
  list.allow_where(SYS_process_madvise, {{.argument = 0, .value = static_cast<unsigned>(kThisProcess)}});
  list.fail(SYS_clone3, ENOSYS);  // whose flags cannot be seen; the C library then asks for clone
  return list;
}

AllowList while_running() {
  AllowList list;
  for (const int call : kWhileRunning) list.allow(call);
  const auto own = static_cast<unsigned>(getpid());
  // abort(), or a signal that is none: one that kills or stops it comes from outside.
  for (const unsigned signal : {0U, static_cast<unsigned>(SIGABRT)})
    list.allow_where(SYS_tgkill, {{.argument = 0, .value = own}, {.argument = 2, .value = signal}});
  list.allow_where(SYS_kill, {{.argument = 0, .value = 0}, {.argument = 1, .value = SIGSTOP}});
  for (const int call : {SYS_mmap, SYS_mprotect}) list.allow_where(call, {{.argument = 2, .mask = PROT_EXEC}});
  // Waiting for another thread is no clock as long as it has no deadline.
  for (const unsigned wait : {FUTEX_WAIT, FUTEX_WAIT_BITSET})
    list.allow_where(SYS_futex, {{.argument = 1, .mask = static_cast<unsigned>(FUTEX_CMD_MASK), .value = wait},
                                 {.argument = 3, .value = 0},
                                 {.argument = 3, .high = true, .value = 0}});
  for (const unsigned wake : {FUTEX_WAKE, FUTEX_WAKE_BITSET})
    list.allow_where(SYS_futex, {{.argument = 1, .mask = static_cast<unsigned>(FUTEX_CMD_MASK), .value = wake}});
#ifdef __SANITIZE_ADDRESS__  // its run-time library watches signals and writes its report
  for (const int call : {SYS_write, SYS_getpid, SYS_gettid, SYS_rt_sigaction, SYS_sigaltstack, SYS_exit_group})
    list.allow(call);
#endif
  return list;
}

// Beyond what is mapped now (stacks, images): what a kernel may allocate with malloc.
constexpr rlim_t kHeapBytes = rlim_t{8} << 30;

void install(const AllowList& list) {
  if (!list.enter())
    throw environment_error(fmt::format("cannot take the runner's rights away (seccomp): {}", std::strerror(errno)));
}

Reach reach_of(const std::vector<std::string>& objects) {
  return {objects, {}, ""};
}

void enter_walls(const Cage& cage, const std::vector<std::string>& objects) {
  if (!cage.around_files()) return;
  bool entered = false;
  if (cage.landlock) {
    entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && LandlockRules(reach_of(objects)).enter();
  } else {
    entered = OwnRoot(reach_of(objects)).enter_files();
  }
  if (!entered) throw environment_error("the runner could not be confined to the candidate's file");
}

// An exception must not leave a child's body: the child would go on as a second copy of this program.
int try_cage(const Cage& cage) noexcept {
  try {
    restrict_for_loading(cage, {"/usr/lib"});
    return cage.around_files() && open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0 ? 1 : 0;
  } catch (const std::exception&) {
    return 1;
  }
}

bool cage_holds(const Cage& cage) {
  try {
    const Descriptor unread(open("/dev/null", O_WRONLY | O_CLOEXEC));  // what a child that fails says of it
    return Child({.output = unread.get()}, [&] { return try_cage(cage); }).wait().status() == 0;
  } catch (const std::exception&) {
    return false;
  }
}

/// Where the kernel says that it took the counter away, the processor under it has the last word.
bool counter_ends_a_process() {
  try {
    return Child({},
                 [] {
                   signal(SIGSEGV, SIG_DFL);  // this program's own handler, if it has one, would tell of a fault
                   if (!hide_clocks()) return 0;
                   read_time_counter();
                   return 0;
                 })
               .wait()
               .status() == 128 + SIGSEGV;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

Cage cage_here() {
  static const Cage cage = [] {
    Cage found;
    found.landlock = landlock_version() > 0 && cage_holds({.landlock = true});
    found.own_root = !found.landlock && cage_holds({.own_root = true});
    found.clocks = cage_holds({.clocks = true});
    found.counter = found.clocks && counter_ends_a_process();
    return found;
  }();
  return cage;
}

std::string describe(const Cage& cage) {
  const char* const files = cage.landlock   ? "open no file (Landlock, seccomp)"
                            : cage.own_root ? "open no file (a root of their own, seccomp)"
                                            : "open no file once they run (seccomp), but nothing else holds them";
  return fmt::format("native candidates can {}; {}", files,
                     cage.counter ? "nothing tells them the time"
                     : cage.clocks && kInstructionsCannotOverlap
                         ? "this kernel cannot take the processor's time counter away (Linux 6.12 can); code with an "
                           "instruction that reads it is refused"
                     : cage.clocks ? "this machine answers the processor's time counter although its kernel took it "
                                     "away; code with its instruction is refused, a jump into the middle of "
                                     "another instruction is not seen"
                                   : "the processor's counter tells them the time");
}

std::string not_caged(const Cage& cage) {
  return fmt::format(
      "untrusted source is not run here: this machine's kernel or container {}; --trust-source runs it all the same, "
      "and "
      "records that",
      !cage.around_files() ? "has neither Landlock nor namespaces to keep native code from files"
                           : "cannot hide the processor's time counter from native code");
}

void restrict_for_loading(const Cage& cage, const std::vector<std::string>& objects) {
  ResourceLimits limits{.file_bytes = 16 << 20};  // the captured output is a file in memory
#ifndef __SANITIZE_ADDRESS__                      // whose shadow is terabytes of address space
  limits.memory_bytes = mapped_bytes() + kHeapBytes;
#endif
  limits.enter();
#ifndef __SANITIZE_ADDRESS__  // which asks for the time itself
  if (cage.clocks) {
    // The files are closed after the map of this process has been read, and before anything foreign is.
    if (!hide_clocks()) throw environment_error("the runner's clocks could not be taken away");
  }
#endif
  enter_walls(cage, objects);
  install(while_loading());
}

void drop_rights() {
  // glibc looks into /proc before it gives the end of a thread's heap back to the system; so it shall keep it.
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  const rlimit no_more_files{0, 0};
  setrlimit(RLIMIT_NOFILE, &no_more_files);
  close_range(0, ~0U, 0);
  install(while_running());
}

void forget_thread_number(int instead) {
  // glibc 2.26 to 2.41 keeps it there in a thread's own block. Nowhere else is looked: half an address may look alike.
#ifdef __aarch64__
  constexpr std::size_t kPlace = 0xd0;
#else
  constexpr std::size_t kPlace = 0x2d0;
#endif
  auto* const block = reinterpret_cast<char*>(pthread_self());
  auto* const number = reinterpret_cast<volatile int*>(block + kPlace);
  if (*number == static_cast<int>(syscall(SYS_gettid))) *number = instead;
}

void stand_alone(pid_t parent) {
  if (setpgid(0, 0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0)
    throw environment_error(fmt::format("a launch cannot have a process group: {}", std::strerror(errno)));
  if (getppid() != parent) _exit(0);  // it died before the line above: nobody would ever end this process
}

void stop_here() {
  kill(0, SIGSTOP);
}

}  // namespace harness
