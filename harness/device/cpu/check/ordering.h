#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/device/cpu/check/shadow.h"

namespace harness::cpu {

// Which accesses happen before which others.
//
// Within a block, __syncthreads ends an *epoch*: accesses of an earlier epoch come before those of a later one. Within
// a warp, each collective (__syncwarp, shuffles, votes) orders the lanes that take part: every thread keeps vector
// clocks of its warp. Named barriers, fences and atomics go by *stamps*, the launch's count of such events, and err
// towards "ordered". A thread *releases* what it knows when it does an atomic after a fence, and *acquires* by an
// atomic on a location that another thread released on before. Not seen therefore: a race that lies before a release of
// the one thread and behind any acquire of the other, even if that acquire belongs to an earlier release.

/// Shared by the blocks of a launch.
class LaunchOrder {
 public:
  /// A kernel boundary: nothing from before can race with what follows, except where this launch may begin before the
  /// one before it has ended (`overlaps`: programmatic dependent launch) for threads that do not know of its end.
  void begin(bool overlaps);
  std::uint32_t first_epoch() const { return first_epoch_; }
  /// Of the earliest launch that may still run while this one does.
  std::uint32_t first_concurrent_epoch() const { return first_concurrent_epoch_; }
  void waited() { waited_ = true; }
  void triggered() { triggered_ = true; }
  std::uint32_t next_epoch() { return ++epoch_; }
  std::uint32_t stamp() const { return stamp_; }
  std::uint32_t next_stamp() { return ++stamp_; }

 private:
  friend class BlockOrder;

  /// The last releases on one location: by a thread, and by the last two blocks.
  struct Location {
    std::uint32_t thread = 0;
    std::array<std::uint32_t, 2> block{}, stamp{};
  };
  struct Release {
    std::uint32_t fence = 0;    // accesses stamped before are released...
    std::uint32_t epoch = 0;    // ...if of an earlier epoch,
    std::bitset<1024> threads;  // or of these threads
  };

  std::uint32_t first_epoch_ = 1, epoch_ = 1, stamp_ = 1;
  std::uint32_t first_concurrent_epoch_ = 1;
  bool waited_ = false, triggered_ = false;  // somebody in this launch
  std::unordered_map<std::uintptr_t, Location> locations_;
  std::unordered_map<std::uint32_t, Release> releases_;  // by block
};

/// When the threads of a cluster's blocks arrived at its barrier. Accesses before the n-th arrival of one thread come
/// before what another does once it has waited n times.
class ClusterOrder {
 public:
  /// `stamp` counts the accesses before: theirs are smaller. A thread that exits arrives for good.
  void arrive(std::uint32_t block, int thread, std::uint32_t stamp);
  bool ordered(const Access& earlier, std::uint32_t waits) const;

  /// A thread, or a copy on its behalf, arrived at some mbarrier of block `at`. As within a block, whoever has since
  /// waited for any there is taken to be ordered behind it.
  void arrive_at_mbarrier(std::uint32_t block, int thread, std::uint32_t at, std::uint32_t stamp);
  bool has_arrived_since(const Access& earlier, std::uint32_t at) const;

 private:
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> arrivals_;  // by block and thread; ascending
  // Where, then block and thread: the last arrival.
  std::unordered_map<std::uint32_t, std::unordered_map<std::uint64_t, std::uint32_t>> mbarrier_arrivals_;
};

/// Of the block that a host thread is running. Threads are linear indices within it.
class BlockOrder {
 public:
  void begin(LaunchOrder& launch, std::uint32_t block, int threads);
  void enter(ClusterOrder* cluster) { cluster_ = cluster; }
  std::uint32_t first_epoch() const { return first_epoch_; }

  /// Memory of the launch: accesses of earlier epochs cannot race with one of `thread`.
  std::uint32_t horizon(int thread) const {
    return knows_of_earlier_launches(thread) ? launch_->first_epoch() : launch_->first_concurrent_epoch();
  }
  Access stamp(int thread, std::uint32_t site, bool atomic) const;
  /// Whether `earlier` happens before what `thread` does now.
  bool ordered(const Access& earlier, int thread) const;

  void barrier();  // of the whole block
  void arrive(int thread);
  void arrive_at(const BlockOrder& other, int thread);  // at a barrier of that block of the cluster
  void join(int thread);
  void collective(int warp, std::uint32_t lanes);
  void cluster_arrive(int thread);
  void cluster_waited(int thread) { ++threads_[static_cast<std::size_t>(thread)].cluster_waits; }
  void fence(int thread);
  void grid_wait(int thread);
  void proxy_fence(int thread);
  /// Whether the async proxy, on behalf of `thread`, sees what was written through the generic proxy: one of the two
  /// threads must have executed fence.proxy.async since.
  bool seen_by_async_proxy(const Access& written, int thread) const;
  void atomic(int thread, std::uintptr_t location, bool writes);

 private:
  bool knows_of_earlier_launches(int thread) const { return threads_[static_cast<std::size_t>(thread)].grid_waited; }

  struct ThreadOrder {
    bool grid_waited = false;               // it knows that earlier launches have ended
    std::uint32_t fenced = 0;               // stamp of the last fence that it knows of
    std::uint32_t acquired = 0;             // from other blocks
    std::uint32_t acquired_within = 0;      // from threads of its own block
    std::uint32_t released = 0;             // to threads of its own block
    std::uint32_t arrived = 0, joined = 0;  // at named barriers and mbarriers
    std::uint32_t proxy_fenced = 0;
    std::uint32_t cluster_waits = 0;  // phases of the cluster's barrier that it knows to be over
  };
  struct WarpOrder {
    std::array<std::array<std::uint32_t, 32>, 32> known{};  // [lane][of lane]
    std::uint32_t last_collective = 0;                      // epoch
  };

  bool ordered_within(const Access& earlier, int thread) const;
  bool ordered_across(const Access& earlier, int thread) const;
  void acquire(int thread, const LaunchOrder::Location& location);
  void release(int thread, LaunchOrder::Location& location);

  LaunchOrder* launch_ = nullptr;
  ClusterOrder* cluster_ = nullptr;  // nullptr: nobody has met there
  std::uint32_t block_ = 0, epoch_ = 0, first_epoch_ = 0;
  bool grid_waited_ = false;  // a thread of the block
  std::vector<ThreadOrder> threads_;
  std::array<WarpOrder, 32> warps_;  // clocks only grow, from block to block too
};

}  // namespace harness::cpu
