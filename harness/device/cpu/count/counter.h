#pragma once
#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/core/counting.h"
#include "harness/core/device.h"
#include "harness/device/cpu/count/copy_waits.h"
#include "harness/device/cpu/count/hottest.h"
#include "harness/device/cpu/count/l1_cache.h"
#include "harness/device/cpu/count/roles.h"
#include "harness/device/cpu/count/sampling.h"
#include "harness/device/cpu/count/touched.h"
#include "harness/device/cpu/count/warp_log.h"
#include "harness/device/cpu/execute/module.h"
#include "harness/device/cpu/execute/scheduler.h"
#include "harness/device/cpu/execute/turns.h"

// Counts what a GPU would do for the accesses of a run. Nothing is checked: memory errors are the checker's.
namespace harness::cpu {

/// What happens at a place in the code.
enum class EventKind : std::uint64_t {
  load,
  store,
  atomic,
  shared_load,
  shared_store,
  shared_atomic,
  shared_fill,  // by cp.async
  bulk,
  barrier,
  cluster_barrier,
  tensor,
  copy_wait,  // that is felt (CopyWaits)
  shuffle,
};

/// A place in the code, and what happened there in a launch.
struct CountedEvent {
  std::uint64_t site = 0;
  EventKind kind{};
  Counts counts;
};

class BlockCounter;

/// The counts of a plan's run. Several host threads run blocks, unless those may depend on each other: then one at a
/// time does (`turns`), in a fixed order. Each counts for itself; what they found is added up, in whatever order.
class Counter {
 public:
  Counter(const Executable& executable, std::span<std::byte> image, const Module& module);

  /// `step`: of the plan. `units`: blocks, or clusters of `blocks_each` blocks.
  void begin_launch(const Launch& launch, std::size_t step, std::uint64_t units, int blocks_each, int workers);
  void end_launch();
  std::vector<CountedLaunch> take() { return std::move(launches_); }

  /// How many blocks or clusters of the launch run, and which the i-th of them is.
  std::uint64_t running() const { return runs_all_ ? units_ : sample_.numbers.size(); }
  std::uint64_t unit(std::uint64_t i) const { return runs_all_ ? i : sample_.numbers[i]; }
  /// For how many a block or cluster stands; 0: it is not counted.
  std::int64_t weight(std::uint64_t unit) const;
  /// Blocks run one after another.
  bool in_turns() const { return request_.run_all; }
  Turns* turns() { return turns_ ? &*turns_ : nullptr; }

 private:
  friend class BlockCounter;

  bool is_constant(std::uintptr_t address) const;
  /// What a host thread has counted of the launch.
  void add(const BlockCounter& counted);

  CountingRequest request_;
  std::size_t last_launch_ = 0;  // step of the plan
  std::uintptr_t image_ = 0;
  std::size_t image_bytes_ = 0;
  ModuleMemory module_;
  std::vector<std::span<const std::byte>> constants_;  // filled `__constant__` variables: a cache of their own
  std::vector<ImageBuffer> buffers_;                   // of the layout
  SharedSectors sectors_;

  std::uint64_t units_ = 0;
  bool runs_all_ = false;
  Sample sample_;
  std::int64_t l1_bytes_ = 0;  // of a block
  std::optional<Turns> turns_;
  std::mutex mutex_;  // of what follows
  CountedLaunch launch_;
  Roles roles_;
  AtomicSectors atomics_;
  std::vector<CountedBuffer> touched_;  // by buffer
  std::vector<CountedLaunch> launches_;
};

/// Counts the blocks that one host thread is running.
class BlockCounter {
 public:
  BlockCounter(Counter& counter, const Module& module, Scheduler& scheduler, int worker);
  /// Tells the counter.
  ~BlockCounter();
  BlockCounter(const BlockCounter&) = delete;
  BlockCounter& operator=(const BlockCounter&) = delete;

  /// `weight`: for how many blocks it stands; 0: it is not counted.
  void begin(std::int64_t weight);
  /// The block has ended.
  void end();
  void pass();
  /// Whether accesses of this kind need not be told: the block is not counted, and they do not say either whether it
  /// meets others, or nobody asks. Volatile loads are always told.
  bool skips(int kind) const { return (skipped_ >> kind & 1) != 0; }

  void access(std::uintptr_t address, std::size_t bytes, int kind, const void* from);
  /// A bulk copy moves these bytes of global memory.
  void bulk(std::uintptr_t address, std::size_t bytes, bool store, const void* from);
  /// The current thread comes to a barrier, or its warp to an instruction that is counted.
  void event(EventKind kind, const void* from);
  /// The lanes of the current thread's warp multiply; `passes`: through the banks of shared memory, of its operands.
  void multiply(int passes, const void* from);
  /// The current thread has waited for an mbarrier, or for all but the last `groups` of its cp.async.
  void passed(const void* mbarrier, const void* from);
  void waited(int groups, const void* from);
  CopyWaits& copies() { return copies_; }
  /// The thread waits for others of its warp, or has ended: when all lanes have, their requests are complete.
  void arrive(const Thread& thread);
  void exited(const Thread& thread);
  /// These warps, a bit for each, have met at a barrier: each waited for the one that had most to do.
  void passed_barrier(std::uint32_t warps);
  /// All these lanes of a warp have met.
  void met(std::size_t warp, std::uint32_t lanes);

 private:
  friend class Counter;

  struct Warp {
    WarpLog log;
    std::uint32_t here = 0;              // lanes that have arrived
    std::uint32_t lanes = 0;             // that there are and that have not ended
    std::int64_t work = 0;               // since its last barrier
    std::size_t barrier = 0;             // the place of the one that it came to last
    std::vector<std::int64_t> requests;  // by place: of the block
  };
  struct Recent {
    std::uint64_t key = ~0ull;
    std::size_t place = 0;
  };

  void note(EventKind kind, std::uintptr_t address, std::size_t bytes, const void* from);
  static constexpr int kKindBits = 4;  // of a place's key, below its site
  std::size_t place_of(EventKind kind, const void* from);
  std::size_t find_place(std::uint64_t key);
  void touch(EventKind kind, std::uintptr_t address, std::size_t bytes);
  void flush(Warp& warp);
  void end_role(Warp& warp);
  void count(std::size_t place, const Request& request);
  void count_global(std::size_t place, const Request& request, Counts& counts);
  void count_atomic(std::size_t place, const Request& request, Counts& counts);

  Counter& counter_;
  SharedMemory memory_;
  Scheduler& scheduler_;
  int worker_;
  std::int64_t weight_ = 0;
  std::uint32_t skipped_ = 0;  // kinds of accesses, a bit each
  bool blocks_meet_ = false, atomics_used_ = false;
  std::array<Warp, 32> warps_;
  std::array<Recent, 64> recent_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<CountedEvent> events_;  // by place: of the launch
  std::vector<Counts> segment_;       // by place: since the last convergence
  std::vector<Counts> block_;         // by place
  std::int64_t work_ = 0;             // of all blocks that these stand for
  std::int64_t heaviest_ = 0;         // of the block that had most
  Roles roles_;
  AtomicSectors atomics_;
  Touched touched_;
  L1Cache l1_;
  CopyWaits copies_;
};

}  // namespace harness::cpu
