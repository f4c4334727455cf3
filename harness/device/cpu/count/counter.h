#pragma once
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/counting.h"
#include "harness/core/device.h"
#include "harness/device/cpu/count/sampling.h"
#include "harness/device/cpu/count/tally.h"
#include "harness/device/cpu/count/touched.h"
#include "harness/device/cpu/execute/module.h"
#include "harness/device/cpu/execute/turns.h"

// Counts what a GPU would do for the accesses of a run. Nothing is checked: memory errors are the checker's.
namespace harness::cpu {

class BlockCounter;

/// The counts of a plan's run. Several host threads run blocks, unless those may depend on each other: then one at a
/// time does (`turns`), in a fixed order. Each counts for itself; what they found is added up, in whatever order.
class Counter {
 public:
  Counter(const Executable& executable, std::span<std::byte> image, const Module& module);

  /// `step`: of the plan. `units`: blocks, or clusters of `blocks_each` blocks.
  void begin_launch(const Launch& launch, std::size_t step, std::uint64_t units, int blocks_each, int workers);
  /// The blocks of each cluster see each other's shared memory, which is one of these.
  void share(std::vector<SharedMemory> memories) { shared_ = std::move(memories); }
  void end_launch();
  std::vector<CountedLaunch> take() { return std::move(launches_); }

  /// How many blocks or clusters of the launch run, and which the i-th of them is.
  std::uint64_t running() const { return every_one() ? units_ : runs_.size(); }
  std::uint64_t unit(std::uint64_t i) const { return every_one() ? i : runs_[i]; }
  /// They have run. Whether others do after them, which running() and unit() then tell: of few the counted ones run
  /// first, and where they turn out to do little the others are counted, too.
  bool runs_more();
  bool is_counted(std::uint64_t unit) const { return weight(unit) > 0; }
  /// Blocks run one after another.
  bool in_turns() const { return request_.run_all; }
  Turns* turns() { return turns_ ? &*turns_ : nullptr; }

 private:
  friend class BlockCounter;

  Sample sample_of(const Launch& launch, std::uint64_t units, int blocks_each) const;
  /// The filled `__constant__` variable that holds the address; empty: none does.
  std::span<const std::byte> constant_at(std::uintptr_t address) const;
  /// For how many a block or cluster stands; 0: it is not counted.
  std::int64_t weight(std::uint64_t unit) const;
  /// Of a block, as it is counted; where that is not known yet each stands for itself, and is told alone.
  std::int64_t weight_now(std::uint64_t unit) const { return deferred_ ? is_counted(unit) : weight(unit); }
  bool is_deferred() const { return deferred_; }
  bool every_one() const { return runs_all_ && !deferred_; }
  /// What was counted, of that block or cluster alone if weights are not known yet.
  void add(Tally counted, std::uint64_t unit);

  CountingRequest request_;
  std::size_t last_launch_ = 0;  // step of the plan
  std::uintptr_t image_ = 0;
  std::size_t image_bytes_ = 0;
  ModuleMemory module_;
  std::vector<std::span<const std::byte>> constants_;  // filled `__constant__` variables: a cache of their own
  std::vector<ImageBuffer> buffers_;                   // of the layout
  SharedSectors sectors_;
  std::vector<SharedMemory> shared_;  // of the blocks of a cluster

  std::uint64_t units_ = 0;
  int blocks_each_ = 1;  // of a unit
  bool runs_all_ = false;
  Sample sample_;
  std::vector<std::uint64_t> runs_;  // now, if not every one does
  bool deferred_ = false;            // how many the counted ones stand for is known in the end
  bool asked_ = false;               // whether others run
  std::int64_t l1_bytes_ = 0;        // of a block
  std::optional<Turns> turns_;
  CountedLaunch launch_;
  std::mutex mutex_;  // of what follows
  Tally sum_;
  std::vector<std::pair<std::uint64_t, Tally>> waiting_;  // by unit: for their weights
  std::vector<CountedLaunch> launches_;
};

}  // namespace harness::cpu
