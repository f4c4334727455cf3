#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/plan.h"
#include "harness/device/cpu/check/ordering.h"
#include "harness/device/cpu/execute/module.h"
#include "harness/device/cpu/execute/scheduler.h"
#include "harness/device/cpu/execute/turns.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {

class BlockChecker;

/// How the blocks of a grid form clusters. Ranks count x first, as %cluster_ctarank does.
class ClusterShape {
 public:
  /// The grid is a multiple of the cluster in each dimension.
  ClusterShape(const Dim3& grid, const Dim3& cluster);

  std::uint64_t clusters() const { return std::uint64_t{clusters_.x} * clusters_.y * clusters_.z; }
  unsigned blocks() const { return size_.x * size_.y * size_.z; }  // of one cluster
  HarnessCpuIndex block(std::uint64_t cluster, unsigned rank) const;
  /// `which` is a HarnessCpuClusterIndex.
  HarnessCpuIndex index(int which, const HarnessCpuIndex& block) const;

 private:
  Dim3 size_, clusters_;
};

/// One cluster that runs: each block on a host thread of its own, whose thread-local variables are the block's shared
/// memory. One of them runs at any moment and gives its turn away where none of its threads can go on, so nothing here
/// needs a lock, and a run is the same every time.
///
/// Shared memory is poisoned as long as its block does not run: what is read of it too early or too late is NaN, and
/// what is stored into it then is noticed.
class Cluster {
 public:
  enum class Life : std::uint8_t { not_begun, running, ended };
  struct Member {
    Scheduler* scheduler = nullptr;   // of its threads, while it runs
    BlockChecker* checker = nullptr;  // while it runs and is checked
    SharedMemory memory;
    HarnessCpuIndex block{};
    Life life = Life::not_begun;
  };

  /// `number`: which cluster of the grid; `threads`: of one block that have not exited; `memories[i]`: the shared
  /// memory of host thread i. `reversed`: the last rank has the first turn.
  Cluster(const ClusterShape& shape, std::uint64_t number, int threads, const std::vector<SharedMemory>& memories,
          std::size_t dynamic_bytes, bool reversed);

  const ClusterShape& shape() const { return shape_; }
  Turns& turns() { return turns_; }
  /// The rank that host thread `worker` runs, and back.
  unsigned rank_of(int worker) const { return mirrored(static_cast<unsigned>(worker)); }
  int worker_of(unsigned rank) const { return static_cast<int>(mirrored(rank)); }
  const Member& member(unsigned rank) const { return members_[rank]; }
  /// The member whose shared memory holds the address; nullptr: none.
  const Member* owner(std::uintptr_t address) const;
  ClusterOrder& order() { return order_; }

  void poison() const;  // the shared memory of all members

  // The rest is called by the host thread whose turn it is.

  /// The block begins, with its shared memory poisoned. False: somebody had stored into it before.
  bool begin(unsigned rank, Scheduler& scheduler, BlockChecker* checker);
  /// A block without shared memory of others around it, begun as it is: the cluster of a launch that asked for none.
  void adopt(Scheduler& scheduler, BlockChecker* checker) {
    members_[0].scheduler = &scheduler;
    members_[0].checker = checker;
    members_[0].life = Life::running;
  }
  void end(unsigned rank);
  /// After the last block has ended: the first whose shared memory was stored into afterwards; nullptr: none.
  const Member* touched_after_end() const;

  /// A block none of whose threads can go on gives its turn away. False: a whole round has passed and no block of the
  /// cluster could do anything.
  bool wait_for_turn(unsigned rank);
  void progress() { idle_turns_ = 0; }
  /// A thread that can go on lets the other blocks run.
  void pass(unsigned rank);

  // The barrier of the cluster: a thread arrives, and later waits until all threads that have not exited have arrived.
  // Both give what the thread did wrong; nullptr: nothing.
  const char* arrive(unsigned rank, const Thread& thread);
  const char* check_wait(unsigned rank, const Thread& thread);
  /// Whether the phase that the thread arrived in is over. If not, the thread is woken when it is.
  bool passed(unsigned rank, Thread& thread);
  void exited(unsigned rank, const Thread& thread);

  /// Who waits where, block by block.
  std::string describe_lineups() const;

 private:
  struct BarrierState {  // of a thread
    std::uint32_t arrivals = 0, waits = 0;
  };
  struct Waiting {
    unsigned rank;
    Thread* thread;
  };

  unsigned mirrored(unsigned index) const { return reversed_ ? shape_.blocks() - 1 - index : index; }
  BarrierState& state(unsigned rank, const Thread& thread);
  /// One thread fewer is missing at the barrier; after the last one everybody who waits goes on.
  void one_less();

  ClusterShape shape_;
  std::size_t dynamic_bytes_;
  bool reversed_;
  Turns turns_;
  std::vector<Member> members_;  // by rank
  std::vector<std::vector<BarrierState>> states_;
  std::vector<Waiting> waiting_;
  std::uint32_t phase_ = 0;
  int alive_ = 0, missing_ = 0;  // threads that have not exited; those of them that have not arrived
  unsigned idle_turns_ = 0;
  ClusterOrder order_;
};

}  // namespace harness::cpu
