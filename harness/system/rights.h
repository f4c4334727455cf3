#pragma once
#include <string>
#include <vector>

namespace harness {

/// What can keep native candidates from the rest of this machine. The lists of allowed calls (seccomp) are not here:
/// without them no candidate is run at all.
struct Cage {
  bool landlock = false;  // no file can be opened but what is loaded
  bool own_root = false;  // the same by namespaces; used where there is no Landlock
  /// No call and no page tells the time, and the kernel says that it took the processor's counter away (clocks.h).
  bool clocks = false;
  /// It did. Some virtual machines answer the counter whatever their kernel was told. What is left then is the source
  /// policy, which refuses sources that name it, and the look into a candidate's machine code, which refuses its
  /// instruction however it was written, but not a jump into the middle of another one.
  bool counter = false;

  bool around_files() const { return landlock || own_root; }
  bool whole() const { return around_files() && clocks; }
};

/// What holds here, each tried in a child; asked once.
Cage cage_here();
/// A sentence for people, on what holds.
std::string describe(const Cage& cage);
/// Why untrusted source is not run in a cage that is not whole, and what to do.
std::string not_caged(const Cage& cage);

/// What stands for this process where a system call takes a descriptor of one (PIDFD_SELF_THREAD_GROUP, Linux 6.15).
inline constexpr int kThisProcess = -10001;

/// Before foreign native code is loaded, in a process that does nothing else from now on: it can read no file but
/// `objects` (as far as the cage goes), has no clock, can write no file, reach no network, start no program, signal
/// nobody and trace nobody, and has bounded memory and output. It can make threads, and children for its parent
/// (CLONE_PARENT). Throws Error(environment) if the kernel refuses.
void restrict_for_loading(const Cage& cage = {}, const std::vector<std::string>& objects = {});

/// Before foreign code is run, when all threads and all memory that is shared are there. Gives up, for ever and for
/// every thread of this process, all but computing: what is left are calls for memory, for waiting for each other
/// without a deadline, and stop_here(). No call tells or waits for time, opens, reads or writes, or says who this
/// process is; no memory can be made executable; its descriptors are closed. A forbidden call ends the process with
/// SIGSYS. Throws Error(environment) if the kernel refuses.
void drop_rights();

/// Notes another number than the calling thread's where the C library keeps it: threads are numbered in the order in
/// which the machine makes them, so launches could be counted by it. The number is to differ between threads.
void forget_thread_number(int instead);
/// Makes this process its own group, which stop_here() needs; it ends with its parent, `parent`, at once if that is
/// gone.
void stand_alone(pid_t parent);
/// Stops all threads of this process until somebody continues it; its parent can wait for that.
void stop_here();

}  // namespace harness
