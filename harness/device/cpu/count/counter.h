#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "harness/core/counting.h"
#include "harness/core/device.h"
#include "harness/device/cpu/count/l1_cache.h"
#include "harness/device/cpu/count/sampling.h"
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
  bulk,
  barrier,
  tensor,
};

/// The counts of a plan's run. Only one host thread at a time runs blocks (`turns`), in a fixed order.
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
  Turns* turns() { return &*turns_; }

 private:
  friend class BlockCounter;

  struct Place {
    std::uint64_t site = 0;
    EventKind kind{};
    Counts counts;  // of the launch
  };
  struct Touched {
    std::int64_t by_block = 0, together = 0;
  };

  std::size_t place_of(std::uint64_t site, EventKind kind);
  /// The buffer of a sector of the image; buffers_.size(): none.
  std::size_t buffer_of(std::uint64_t offset);

  CountingRequest request_;
  std::size_t last_launch_ = 0;  // step of the plan
  std::uintptr_t image_ = 0;
  std::size_t image_bytes_ = 0;
  ModuleMemory module_;
  std::vector<ImageBuffer> buffers_;  // of the layout
  std::vector<std::size_t> order_;    // of those that are no views, ascending
  std::size_t near_ = 0;              // where the last sector was found

  CountedLaunch launch_;
  std::uint64_t units_ = 0;
  bool runs_all_ = false;
  Sample sample_;
  std::int64_t l1_bytes_ = 0;  // of a block
  std::unordered_map<std::uint64_t, std::size_t> index_;
  std::vector<Place> places_;
  std::vector<Touched> touched_;             // by buffer
  std::vector<std::uint32_t> block_of_;      // by sector of the image: the last block that touched it, from 1
  std::uint32_t block_number_ = 0;           // of the block that is counted, from 1
  std::uint32_t first_block_of_launch_ = 1;  // its number
  std::optional<Turns> turns_;
  std::vector<CountedLaunch> launches_;
};

/// Counts the block that one host thread is running.
class BlockCounter {
 public:
  BlockCounter(Counter& counter, const Module& module, Scheduler& scheduler, int worker);

  /// `weight`: for how many blocks it stands; 0: it is not counted.
  void begin(std::int64_t weight);
  /// The block has ended.
  void end();
  void pass() { counter_.turns_->pass(worker_); }

  void access(std::uintptr_t address, std::size_t bytes, int kind, const void* from);
  /// A bulk copy moves these bytes of global memory.
  void bulk(std::uintptr_t address, std::size_t bytes, const void* from);
  /// The current thread comes to a barrier, or its warp to a tensor instruction.
  void event(EventKind kind, const void* from);
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
    std::uint32_t here = 0;   // lanes that have arrived
    std::uint32_t lanes = 0;  // that there are and that have not ended
    std::int64_t work = 0;    // since its last barrier
    std::size_t barrier = 0;  // the place of the one that it came to last
  };
  struct Recent {
    std::uint64_t key = ~0ull;
    std::size_t place = 0;
  };

  void note(EventKind kind, std::uintptr_t address, std::size_t bytes, const void* from);
  std::size_t place_of(EventKind kind, const void* from);
  void flush(Warp& warp);
  void count(std::size_t place, const Request& request);
  void count_global(const Request& request, EventKind kind, Counts& counts);
  void touch(std::uint64_t sector);

  Counter& counter_;
  SharedMemory memory_;
  Scheduler& scheduler_;
  int worker_;
  std::int64_t weight_ = 0;
  std::uint32_t number_ = 0;  // of the block
  std::array<Warp, 32> warps_;
  std::array<Recent, 64> recent_;
  std::vector<Counts> segment_;  // by place: since the last convergence
  std::vector<Counts> block_;    // by place
  L1Cache l1_;
};

}  // namespace harness::cpu
