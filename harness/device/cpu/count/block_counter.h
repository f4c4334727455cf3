#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/core/counting.h"
#include "harness/device/cpu/count/copy_waits.h"
#include "harness/device/cpu/count/counter.h"
#include "harness/device/cpu/count/hottest.h"
#include "harness/device/cpu/count/l1_cache.h"
#include "harness/device/cpu/count/roles.h"
#include "harness/device/cpu/count/rounds.h"
#include "harness/device/cpu/count/touched.h"
#include "harness/device/cpu/count/walk.h"
#include "harness/device/cpu/count/warp_log.h"
#include "harness/device/cpu/execute/module.h"
#include "harness/device/cpu/execute/scheduler.h"

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
  constant,     // a read of a `__constant__` variable, or of a table that the compiler made one
  remote,       // an access of another block's shared memory
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

/// Counts the blocks that one host thread is running.
class BlockCounter {
 public:
  BlockCounter(Counter& counter, const Module& module, Scheduler& scheduler, int worker);
  /// Tells the counter.
  ~BlockCounter();
  BlockCounter(const BlockCounter&) = delete;
  BlockCounter& operator=(const BlockCounter&) = delete;

  /// A block begins; `unit`: its number, or that of its cluster.
  void begin(std::uint64_t unit);
  /// The block has ended.
  void end();
  void pass();
  /// Whether accesses of this kind need not be told: the block is not counted, and they do not say either whether it
  /// meets others, or nobody asks. Volatile loads are always told.
  bool skips(int kind) const { return (skipped_ >> kind & 1) != 0; }

  /// An access that goes on with what the current thread did last at this place: it is counted. False: it is not, and
  /// must be told. Most of those of a loop do.
  bool goes_on(std::uintptr_t address, std::size_t bytes, int kind, const void* from) {
    const Cursor& last = cursor(from);
    if (last.from != from || last.bytes != bytes || last.kind != kind) return false;
    if (last.thread == &scheduler_.current()) return last.lane->goes_on(address);
    return last.thread == nullptr && address - last.begin < last.size;  // nobody counts that
  }
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
  struct Warp {
    WarpLog log;
    std::uint32_t here = 0;              // lanes that have arrived
    std::uint32_t lanes = 0;             // that there are and that have not ended
    std::int64_t work = 0;               // since its last barrier
    std::size_t barrier = 0;             // the place of the one that it came to last
    std::vector<std::int64_t> requests;  // by place: of the block
  };
  /// What happened last at a call in the candidate, which mostly is what happens there next.
  struct alignas(128) Cursor {  // found by a shift
    const void* from = nullptr;
    std::size_t bytes = 0;
    const Thread* thread = nullptr;  // who did it; nullptr: nobody counts it
    WarpLog::Lane* lane = nullptr;   // where that is noted
    int kind = 0;                    // HarnessCpuAccess, or that of an event
    std::uintptr_t begin = 0;        // memory of one kind, which is at the same place in the code
    std::size_t size = 0;
    std::uintptr_t origin = 0;  // what places in it are counted from
    std::size_t place = 0;
    std::size_t warp = 0;
    WarpLog::PlaceLog* log = nullptr;  // of that warp and place
  };
  /// A piece of memory, and what an access to it is.
  struct Region {
    std::uintptr_t begin = 0;
    std::size_t size = 0;
    std::uintptr_t origin = 0;  // what places in it are counted from
    EventKind kind{};
    bool counted = false;
  };

  static constexpr std::size_t kWidest = 16;  // bytes of one access of a lane
  static constexpr int kKindBits = 4;         // of a place's key, below its site
  Cursor& cursor(const void* from) { return cursors_[reinterpret_cast<std::uintptr_t>(from) % cursors_.size()]; }
  Region region_of(std::uintptr_t address, int kind) const;
  Region shared_region(std::uintptr_t address, int kind) const;
  void note(Cursor& last, std::uintptr_t address, std::size_t bytes);
  void note_event(EventKind kind, std::uint64_t value, const void* from);
  std::size_t place_of(EventKind kind, const void* from);
  void touch(EventKind kind, const Run& run, std::uint64_t begin);
  void touch_rest(EventKind kind, const WarpLog::Lane& lane);
  void flush(Warp& warp);
  void end_place(Warp& warp, const WarpLog::PlaceLog& place);
  void end_role(Warp& warp);
  void count(std::size_t place, const Train& train);
  /// What was counted since the last time.
  Tally take();

  Counter& counter_;
  SharedMemory memory_;
  Scheduler& scheduler_;
  int worker_;
  std::uint64_t unit_ = 0;
  std::int64_t weight_ = 0;    // for how many blocks it stands; 0: it is not counted
  std::uint32_t skipped_ = 0;  // kinds of accesses, a bit each
  bool blocks_meet_ = false, atomics_used_ = false;
  std::array<Warp, 32> warps_;
  std::array<Cursor, 512> cursors_;
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
  Rounds rounds_;
  Walk walk_;
  Train train_;
  CopyWaits copies_;
};

}  // namespace harness::cpu
