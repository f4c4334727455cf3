#pragma once
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "harness/core/plan.h"
#include "harness/device/cpu/checker.h"
#include "harness/device/cpu/scheduler.h"
#include "harness/device/cpu/warp.h"

namespace harness::cpu {

/// One launch, shared by the host threads that run its blocks.
class LaunchState {
 public:
  LaunchState(const HarnessCpuEntry& entry, void** arguments, const Launch& launch, Checker* checker)
      : entry(entry), arguments(arguments), launch(launch), checker(checker) {}

  const HarnessCpuEntry& entry;
  void** arguments;
  const Launch& launch;
  Checker* checker;  // nullptr: an ordinary run

  /// The first fault is kept; after it no block begins.
  void fail(const std::string& text);
  bool failed() const { return failed_.load(std::memory_order_relaxed); }
  const std::string& fault() const { return fault_; }

 private:
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::string fault_;
};

/// Runs blocks of a launch one after another on the host thread that calls it: barriers, warp collectives and faults of
/// its fibers. Threads that have exited never reach a barrier: whoever waits for them is reported. Exited lanes excuse
/// themselves from warp collectives, as CUDA documents it, but not from shuffles, which would read them.
class BlockRunner : private ThreadBody {
 public:
  BlockRunner() : scheduler_(*this) {}

  /// `worker` is the number of the host thread that calls. Throws DeviceMemoryExhausted.
  void begin(LaunchState& launch, const Module& module, int worker);
  void end() { checker_.reset(); }
  /// A fault goes to the launch's state.
  void run(const HarnessCpuIndex& block);

  // Called on a fiber, through the ABI.
  int barrier(int id, unsigned threads, int result, bool predicate, const Site& site);
  void barrier_arrive(int id, unsigned threads, const Site& site);
  std::uint64_t collective(int operation, std::uint32_t mask, std::uint64_t value, unsigned source, const Site& site);
  void yield();
  BlockChecker* checker() { return checker_ ? &*checker_ : nullptr; }  // nullptr: an ordinary run
  /// Ends a checked launch: what the current thread was about to do must not be done.
  [[noreturn]] void stop(const char* kind);
  /// Notes the current thread's fault. `abandon` must follow, on a stack that holds nothing to be destroyed.
  void report(const char* kind, const std::string& what, const Site& site);
  [[noreturn]] void abandon() { scheduler_.abandon(); }

 private:
  struct Barrier {
    unsigned arrived = 0, positive = 0;
    ThreadList waiting;
  };
  struct Group {  // lanes that meet in one collective
    int operation = 0;
    std::uint32_t mask = 0, arrived = 0;
  };
  struct Warp {
    std::uint32_t absent = 0;  // lanes beyond the end of the block
    std::uint32_t exited = 0;
    int groups = 0;
    std::array<Group, 32> group;
    WarpExchange exchange;
    Site at_barrier;  // where its first thread waits for __syncthreads
  };

  void run_thread(Thread& thread) override;
  Barrier& enter_barrier(int id, unsigned& threads, bool predicate, const Site& site);
  void release(Barrier& barrier, int result);
  void pass_checked_barrier(const Barrier& barrier, bool whole_block, const Site& site);
  void check_warp_agrees(const Site& site);
  bool complete(const Warp& warp, const Group& group) const;
  void finish(Warp& warp, int group);
  void leave_warp(const Thread& thread);

  Scheduler scheduler_;
  LaunchState* launch_ = nullptr;
  HarnessCpuIndex block_{};
  std::array<Barrier, 16> barriers_;
  std::array<Warp, 32> warps_;
  std::optional<BlockChecker> checker_;
};

/// The runner whose fiber the calling host thread is on.
BlockRunner& current_block();
/// Its checker; nullptr outside of checked runs.
BlockChecker* current_checker();

}  // namespace harness::cpu
