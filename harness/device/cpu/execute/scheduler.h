#pragma once
#include <cstdint>
#include <vector>

#include "harness/device/cpu/execute/fiber.h"
#include "harness/device/cpu/execute/stacks.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {

/// A call in the candidate's source at which a thread can wait.
struct Site {
  const char* name = nullptr;  // "__syncthreads()"
  const char* file = nullptr;
  int line = 0;
};

enum class ThreadState : std::uint8_t { unstarted, runnable, waiting, exited };

/// One thread of the block that is running.
struct Thread {
  Fiber fiber;
  HarnessCpuIndex index{};
  int linear = 0;  // x + y * Dx + z * Dx * Dy
  int stack = -1;
  ThreadState state = ThreadState::unstarted;
  Site site;                 // while waiting
  std::uint32_t mask = 0;    // while waiting in a warp collective: the lanes that it names; else 0
  std::uint64_t result = 0;  // of the barrier or collective that it waited for
  Thread* next = nullptr;    // in the list that holds it
};

/// First in, first out.
class ThreadList {
 public:
  bool empty() const { return first_ == nullptr; }
  void push(Thread& thread);
  Thread& pop();
  template <typename Body>
  void for_each(Body body) const {
    for (const Thread* thread = first_; thread; thread = thread->next) body(*thread);
  }

 private:
  Thread* first_ = nullptr;
  Thread* last_ = nullptr;
};

/// What a thread does from its start to its end.
class ThreadBody {
 public:
  virtual void run_thread(Thread& thread) = 0;

 protected:
  ~ThreadBody() = default;
};

/// Runs the threads of one block at a time as fibers of the calling host thread. A fiber that ends takes the next
/// thread that has not begun, so threads that never wait share one stack and cost no switch.
class Scheduler {
 public:
  explicit Scheduler(ThreadBody& body);

  /// Stacks for a block of that many threads, before a clock runs.
  void open_stacks(int threads) {
    stacks_.open(threads);
    stacks_.touch();
  }
  /// The shape of the blocks to come; at most 1024 threads. Throws DeviceMemoryExhausted.
  void shape(const HarnessCpuIndex& block);
  /// Runs every thread until all have ended, or none can go on, or somebody called `abandon`.
  void run();
  /// Goes on after `run` because threads were woken when none could.
  void resume();
  bool can_resume() const { return !runnable_.empty(); }

  std::vector<Thread>& threads() { return threads_; }
  int exited() const { return exited_; }

  // The rest is called on a fiber.
  Thread& current() { return *current_; }
  /// Whether an address lies on the current thread's stack; on the stack of any thread.
  bool on_current_stack(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(stacks_.bottom(current_->stack)) < StackPool::kStackBytes;
  }
  bool on_a_stack(std::uintptr_t address) const { return stacks_.contains(address); }
  std::span<const std::byte> stacks() const { return stacks_.memory(); }
  /// The current thread waits until somebody wakes it. The caller has put it where it will be found.
  void wait(const Site& site, std::uint32_t mask);
  void wake(Thread& thread);
  /// Every other thread that can run does so before this one goes on. False: there is none.
  bool yield();
  /// Drops all threads where they are; `run` returns. Nothing on their stacks is destroyed.
  [[noreturn]] void abandon();

 private:
  static void fiber_main(boost::context::detail::transfer_t transfer);
  void host_threads();
  void enter(Thread& thread);
  Thread* take_unstarted();
  /// Where to go next: a runnable thread, else a new fiber for an unstarted one, else the host thread.
  Fiber& next_fiber(bool unstarted_first);

  ThreadBody& body_;
  StackPool stacks_;
  std::vector<Thread> threads_;
  ThreadList runnable_;
  Fiber root_;
  Thread* current_ = nullptr;
  Thread* starting_ = nullptr;  // what a new fiber will host first
  int started_ = 0;
  int exited_ = 0;
};

}  // namespace harness::cpu
