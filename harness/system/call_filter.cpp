#include "harness/system/call_filter.h"

#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <initializer_list>

#include "harness/system/processor.h"

namespace harness {
namespace {

constexpr int kForbidden[] = {
    // network
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_sendto, SYS_sendmsg,
    SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
    // other processes
    SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open, SYS_pidfd_getfd,
    SYS_pidfd_send_signal, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp,
    SYS_setpriority, SYS_ioprio_set, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr, SYS_migrate_pages,
    SYS_move_pages,
    // another view of the system
    SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_move_mount, SYS_open_tree,
    SYS_fsopen, SYS_fsconfig, SYS_fsmount, SYS_fspick, SYS_mount_setattr, SYS_name_to_handle_at, SYS_open_by_handle_at,
    SYS_mknodat, SYS_quotactl, SYS_swapon, SYS_swapoff, SYS_acct,
    // the kernel itself, and what has often been its weak side
    SYS_bpf, SYS_perf_event_open, SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_keyctl, SYS_add_key, SYS_request_key, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load,
    SYS_kexec_file_load, SYS_reboot, SYS_personality, SYS_syslog, SYS_settimeofday, SYS_clock_settime,
    SYS_clock_adjtime, SYS_adjtimex, SYS_sethostname, SYS_setdomainname, SYS_fanotify_init, SYS_msgget, SYS_shmget,
    SYS_semget, SYS_mq_open};
// Calls that only some processors have.
#ifdef __x86_64__
constexpr std::initializer_list<int> kForbiddenHere = {SYS_mknod, SYS_iopl, SYS_ioperm, SYS_modify_ldt};
#else
constexpr std::initializer_list<int> kForbiddenHere = {};
#endif

constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
constexpr unsigned kNewNamespaces =
    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;
constexpr unsigned kOtherAbi = 0x40000000;  // on x86-64 the x32 numbers of the same calls

sock_filter simple(int code, unsigned value) {
  return {static_cast<unsigned short>(code), 0, 0, value};
}
sock_filter jump(int condition, unsigned value, unsigned char then, unsigned char otherwise) {
  return {static_cast<unsigned short>(BPF_JMP | condition | BPF_K), then, otherwise, value};
}

}  // namespace

CallFilter::CallFilter() {
  constexpr int kLoad = BPF_LD | BPF_W | BPF_ABS, kReturn = BPF_RET | BPF_K;
  program_ = {simple(kLoad, offsetof(seccomp_data, arch)),
              jump(BPF_JEQ, kAuditArchitecture, 1, 0),
              simple(kReturn, SECCOMP_RET_KILL_PROCESS),
              simple(kLoad, offsetof(seccomp_data, nr)),
              jump(BPF_JGE, kOtherAbi, 0, 1),
              simple(kReturn, SECCOMP_RET_KILL_PROCESS)};
  const auto refuse = [&](int call) {
    program_.push_back(jump(BPF_JEQ, static_cast<unsigned>(call), 0, 1));
    program_.push_back(simple(kReturn, kRefuse));
  };
  for (const int call : kForbidden) refuse(call);
  for (const int call : kForbiddenHere) refuse(call);
  // clone3 hides its flags behind a pointer; the C library falls back to clone where there is none.
  program_.push_back(jump(BPF_JEQ, SYS_clone3, 0, 1));
  program_.push_back(simple(kReturn, SECCOMP_RET_ERRNO | ENOSYS));
  program_.push_back(jump(BPF_JEQ, SYS_clone, 0, 3));
  program_.push_back(simple(kLoad, offsetof(seccomp_data, args)));
  program_.push_back(jump(BPF_JSET, kNewNamespaces, 0, 1));
  program_.push_back(simple(kReturn, kRefuse));
  program_.push_back(simple(kReturn, SECCOMP_RET_ALLOW));
}

bool CallFilter::enter() const {
  const sock_fprog program{static_cast<unsigned short>(program_.size()), const_cast<sock_filter*>(program_.data())};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

}  // namespace harness
