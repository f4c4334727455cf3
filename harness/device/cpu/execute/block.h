#pragma once
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>

#include "harness/core/plan.h"
#include "harness/device/cpu/check/checker.h"
#include "harness/device/cpu/count/block_counter.h"
#include "harness/device/cpu/execute/async_work.h"
#include "harness/device/cpu/execute/cluster.h"
#include "harness/device/cpu/execute/scheduler.h"
#include "harness/device/cpu/execute/warp.h"
#include "harness/device/cpu/execute/wgmma.h"

namespace harness::cpu {

/// What a block runs.
struct Code {
  const HarnessCpuEntry* entry = nullptr;
  const Module* module = nullptr;
};

/// One launch, shared by the host threads that run its blocks.
class LaunchState {
 public:
  LaunchState(const Code& code, void** arguments, const Launch& launch, Checker* checker, Counter* counter,
              unsigned run)
      : code(code), plain(code), arguments(arguments), launch(launch), checker(checker), counter(counter), run(run) {}

  const Code code;
  Code plain;  // of blocks that are not counted
  void** arguments;
  const Launch& launch;
  Checker* checker;    // nullptr: nothing is checked
  Counter* counter;    // nullptr: nothing is counted
  const unsigned run;  // counts the session's: in every second one a block does its async work early

  /// Only one host thread at a time runs blocks; nullptr: all do.
  Turns* turns() const { return checker ? checker->turns() : counter ? counter->turns() : nullptr; }
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
/// its fibers. As CUDA documents it, a barrier of the whole block and a warp collective wait for the threads that have
/// not exited. What a shuffle reads from a lane that takes no part is undefined; a checked run says so.
class BlockRunner : private ThreadBody {
 public:
  BlockRunner() : scheduler_(*this) {}

  void open_stacks(int threads) { scheduler_.open_stacks(threads); }
  /// `worker` is the number of the host thread that calls. Throws DeviceMemoryExhausted.
  void begin(LaunchState& launch, int worker);
  void end();
  /// Where the launch is counted: the next block has this number, or its cluster has.
  void count_as(std::uint64_t unit);
  /// Of the block that is next, or runs.
  const SharedMemory& shared_memory() const { return shared_; }
  /// A fault goes to the launch's state.
  void run(const HarnessCpuIndex& block) { run(block, nullptr, 0); }
  /// As one of a cluster, in the turns of its rank.
  void run(const HarnessCpuIndex& block, Cluster* cluster, unsigned rank);

  /// As Cluster::begin.
  bool enter(Cluster& cluster, unsigned rank) { return cluster.begin(rank, scheduler_, checker()); }

  // Called on a fiber, through the ABI.
  int barrier(int id, unsigned threads, int result, bool predicate, const Site& site);
  void barrier_arrive(int id, unsigned threads, const Site& site);
  std::uint64_t collective(int operation, std::uint32_t mask, std::uint64_t value, unsigned source, const Site& site);
  /// An instruction that the lanes of `mask` execute as one: the last to come calls `body` with what each lane brought
  /// (nullptr: it takes no part), then all go on. The records may lie on the lanes' stacks.
  using Records = std::array<void*, 32>;
  using TogetherBody = void (*)(const Records& records);
  void together(std::uint32_t mask, void* record, TogetherBody body, const Site& site);
  void yield();

  // Asynchronous operations (block_async.cpp). `from` is a return address in the candidate.
  /// Bytes from the start of the block's shared window. Faults where [shared, shared + bytes) is no shared memory.
  std::uint32_t shared_address(const void* shared, std::size_t bytes, const Site& site);
  void mbarrier_init(void* barrier, unsigned arrivals, const Site& site);
  void mbarrier_arrive(void* barrier, unsigned arrivals, unsigned bytes, const Site& site);
  void mbarrier_arrive_at(void* barrier, unsigned rank, const Site& site);
  void mbarrier_wait(void* barrier, unsigned parity, const Site& site);
  bool mbarrier_test(void* barrier, unsigned parity, const Site& site);
  void tensor_load(void* shared, const HarnessCpuTensorMap& map, const int* coordinates, void* barrier,
                   const Site& site, const void* from);
  /// `blocks`: a bit for each rank of the cluster.
  void tensor_load_multicast(void* shared, const HarnessCpuTensorMap& map, const int* coordinates, void* barrier,
                             unsigned blocks, const Site& site, const void* from);
  void tensor_store(const HarnessCpuTensorMap& map, const int* coordinates, const void* shared, const Site& site,
                    const void* from);
  void bulk_load(void* shared, const void* global, std::size_t bytes, void* barrier, const Site& site,
                 const void* from);
  void bulk_store(void* global, const void* shared, std::size_t bytes, const Site& site, const void* from);
  void bulk_commit();
  void bulk_wait(int pending);
  void proxy_fence();
  void wgmma(const HarnessCpuWgmma& instruction, const Site& site, const void* from);
  void wgmma_commit(const Site& site);
  void wgmma_wait(int pending, const Site& site);

  /// cp.async of the current thread: `valid` bytes are read, the rest of `bytes` becomes 0.
  void copy_async(void* to, const void* from, std::size_t bytes, std::size_t valid, const void* site);
  void commit_copies();
  void wait_for_copies(int groups);  // -1: for all, also those of no group

  // cluster_block.cpp
  HarnessCpuIndex cluster_index(int which) { return cluster().shape().index(which, block_); }
  void cluster_arrive(const Site& site);
  void cluster_wait(const Site& site);
  /// The address in the shared memory of the block `rank` that corresponds to `address` in this one's. With `bytes`
  /// above 0, which are about to be accessed, that block must be running.
  void* cluster_map(const void* address, unsigned rank, std::size_t bytes, const Site& site);

  BlockChecker* checker() { return checker_ ? &*checker_ : nullptr; }  // nullptr: nothing is checked
  /// Ends a checked launch: what the current thread was about to do must not be done.
  [[noreturn]] void stop(const char* kind);
  /// Notes the current thread's fault. `abandon` must follow, on a stack that holds nothing to be destroyed.
  void report(const char* kind, const std::string& what, const Site& site);
  [[noreturn]] void abandon() { scheduler_.abandon(); }

 private:
  struct Barrier {
    unsigned arrived = 0, positive = 0;
    bool whole_block = false;  // waits for every thread that has not exited
    int result = 0;            // a HarnessCpuBarrierResult
    ThreadList waiting;
  };
  struct Group {  // lanes that meet in one collective
    int operation = 0;
    std::uint32_t mask = 0, arrived = 0;
    TogetherBody body = nullptr;
    Site site;  // of the first to come
  };
  struct Warp {
    std::uint32_t absent = 0;  // lanes beyond the end of the block
    std::uint32_t exited = 0;
    int groups = 0;
    std::array<Group, 32> group;
    WarpExchange exchange;
    Site at_barrier;  // where its first thread waits for __syncthreads
  };

  unsigned linear_block(const HarnessCpuIndex& block) const;
  void run_thread(Thread& thread) override;
  unsigned living();  // threads of the block that have not exited
  /// Of the block; a launch that asked for none has clusters of one block.
  Cluster& cluster();
  void run_what_is_woken();
  Barrier& enter_barrier(int id, unsigned threads, bool predicate, const Site& site);
  void pass(Barrier& barrier, const Thread& last, const Site& site);
  void count_wait(const Barrier& barrier, const Thread* last);
  void release(Barrier& barrier, int result);
  void check_warp_agrees(const Site& site);
  /// The current thread joins those who execute the same instruction, and waits until all have.
  std::uint64_t meet(int operation, TogetherBody body, std::uint32_t mask, std::uint64_t value, unsigned source,
                     const Site& site);
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_lane(std::uint32_t mask, const Site& site);
  bool complete(const Warp& warp, const Group& group) const;
  [[gnu::noinline]] void finish(Warp& warp, int group);
  void tell_absent_sources(const Group& group, const WarpExchange& exchange, int warp);
  void leave_warp(const Thread& thread);
  void leave_barriers(const Thread& thread);
  void leave_cluster(const Thread& thread);

  void use(const Code& code);

  // block_async.cpp
  struct MbarrierWait {
    Thread* thread = nullptr;
    void* barrier = nullptr;
    unsigned parity = 0;
  };
  [[noreturn]] void refuse(const std::string& what, const Site& site);
  void require(const std::string& problem, const Site& site);
  bool make_progress();
  bool wake_waiters();
  void passed_mbarrier(const Thread& thread);
  void check_bulk(const void* shared, const void* global, std::size_t bytes, const Site& site);
  void load(std::size_t bytes, void* barrier, const Site& site, AsyncWork::Action copy);
  void complete(std::size_t bytes, void* barrier, const Site& site);
  void note_access(const void* address, std::size_t bytes, int kind, const void* from);
  void issue_wgmma(const Records& records);

  Scheduler scheduler_;
  LaunchState* launch_ = nullptr;
  const HarnessCpuEntry* entry_ = nullptr;
  SharedMemory shared_;
  AsyncWork async_;   // of the async proxy: must have been waited for when the block ends
  AsyncWork copies_;  // cp.async: need not have been
  std::vector<MbarrierWait> mbarrier_waits_;
  std::size_t fruitless_tests_ = 0;  // of mbarriers
  HarnessCpuIndex block_{};
  Cluster* cluster_ = nullptr;  // nullptr: none yet, see cluster()
  unsigned rank_ = 0;
  std::optional<Cluster> alone_;
  std::array<Barrier, 16> barriers_;
  std::array<Warp, 32> warps_;
  std::optional<BlockChecker> checker_;
  std::optional<BlockCounter> counter_;
};

/// nullptr: the calling host thread has run none yet. Candidates ask with each access, so it is found without a call.
inline constinit thread_local BlockRunner* running_block = nullptr;

/// Its counter; nullptr: nothing is counted there.
inline constinit thread_local BlockCounter* running_counter = nullptr;

/// The runner whose fiber the calling host thread is on.
inline BlockRunner& current_block() {
  return *running_block;
}
/// Its checker; nullptr outside of checked runs.
inline BlockChecker* current_checker() {
  return running_block ? running_block->checker() : nullptr;
}
/// Its counter; nullptr outside of counted runs.
inline BlockCounter* current_counter() {
  return running_counter;
}

}  // namespace harness::cpu
