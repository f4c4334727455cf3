#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cpu/check/access_map.h"
#include "harness/device/cpu/check/comparisons.h"
#include "harness/device/cpu/check/finding.h"
#include "harness/device/cpu/check/image_shadow.h"
#include "harness/device/cpu/check/ordering.h"
#include "harness/device/cpu/check/wording.h"
#include "harness/device/cpu/execute/module.h"
#include "harness/device/cpu/execute/scheduler.h"
#include "harness/device/cpu/execute/turns.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {

class Cluster;

/// What a checked run of a plan knows: the memory that device code may touch, what happened to it, and what was found.
class Checker {
 public:
  Checker(const Executable& executable, std::span<std::byte> image, const Module& module);

  /// `host` are ranges of this program that the call of the entry reads: the launch's arguments.
  void begin_launch(const Launch& launch, int workers, std::vector<std::span<const std::byte>> host);
  void filled(std::size_t offset, std::size_t bytes) { image_.shadow().set_written(offset, bytes); }
  /// With the comparisons of a build that tells of them. Where no instrumented code touched a buffer, it has looked
  /// at nothing: that is a finding of its own (kNothingInstrumented).
  std::vector<RawFinding> take_findings();
  /// What the sizes are is being asked: not whether they are kept, nor in which order accesses happen. Only what lies
  /// in no memory at all is found then.
  bool observes() const { return map_.active(); }

  const Launch& launch() const { return *launch_; }
  Turns* turns() { return &*turns_; }

 private:
  friend class BlockChecker;

  ImageShadow image_;
  AccessMap map_;
  Shadow globals_;  // of the module's writable segments, which lie in one span
  ModuleMemory module_;
  LaunchOrder order_;
  RawFindings findings_;
  Comparisons comparisons_;
  const Launch* launch_ = nullptr;
  std::vector<std::span<const std::byte>> host_;
  std::vector<std::span<const std::byte>> heap_;  // what device code allocated
  std::optional<Turns> turns_;
  std::atomic<bool> saw_access_ = false;  // of instrumented code, to a buffer or shared memory
};

/// Checks the accesses of the block that one host thread is running. The functions that take an access give false where
/// it must not be performed: the launch has to end.
class BlockChecker {
 public:
  BlockChecker(Checker& checker, const Module& module, Scheduler& scheduler, int worker);

  void pass() { checker_.turns_->pass(worker_); }
  /// `cluster`: nullptr where the launch asked for none.
  void begin(const HarnessCpuIndex& block, Cluster* cluster);
  void enter(Cluster* cluster);

  bool access(std::uintptr_t address, std::size_t bytes, int kind, const void* from);
  void fence();
  void misaligned(std::uintptr_t address, std::size_t alignment, const char* type, const void* from);
  void index(long long index, const char* array, const void* from);
  void compared(int bytes, std::uint64_t left, std::uint64_t right, const void* from) {
    checker_.comparisons_.add(site_of(from), bytes, left, right);
  }
  void allocated(const void* memory, std::size_t bytes);
  void released(const void* memory);

  /// A barrier of the whole block let everybody go, each from its own call: `last` from `site`.
  void barrier(const Thread& last, const Site& site);
  void arrive(const Thread& thread) { order_.arrive(thread.linear); }
  void join(const Thread& thread) { order_.join(thread.linear); }
  /// At an mbarrier a thread speaks for its warp: one lane arrives, or waits, for the others.
  void arrive_warp(const Thread& thread);
  void arrive_warp_at(const BlockChecker& other, const Thread& thread);  // at a barrier of that block of the cluster
  void join_warp(const Thread& thread);
  void proxy_fence();
  void grid_wait();
  void grid_launch() { checker_.order_.triggered(); }
  /// A shuffle at `site` gives this thread what a lane holds that takes no part in it.
  void absent_source(int thread, int source_lane, const Site& site);
  void collective(int warp, std::uint32_t lanes) { order_.collective(warp, lanes); }
  void cluster_arrive(const Thread& thread);
  void cluster_waited(const Thread& thread) { order_.cluster_waited(thread.linear); }
  void cluster_exited(const Thread& thread) { order_.cluster_arrive(thread.linear); }
  /// The last store has been performed by now: did it change what another thread had stored?
  void settle();

 private:
  /// An access that is being checked.
  struct Event {
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    bool writes = false, atomic = false;
    std::uint32_t site = 0;
    bool async = false;  // by the async proxy
    bool is_volatile = false;
    AccessKind kind() const { return {writes, atomic, is_volatile}; }
  };
  /// A store that raced with another one and has not been performed yet.
  struct PendingStore {
    RawFindings::Key key{};
    std::uintptr_t address = 0;
    std::vector<char> before;
  };

  /// Where an access lies and what is known of that memory.
  struct AccessedPlace {
    const Shadow* shadow = nullptr;
    std::size_t offset = 0;  // within the shadow
    std::uint32_t first_epoch = 0;
    bool must_be_written = false;  // before it is read
    const std::string* name = nullptr;
    std::size_t byte = 0;         // within what has that name
    std::uint64_t space = 0;      // tells named memories apart
    std::uintptr_t location = 0;  // for atomics
  };

  bool in_image(const Event& event);
  bool in_shared(const Event& event);
  bool in_shared_of(BlockChecker& owner, const Event& event);
  /// Shared memory of another block of the cluster; nothing: the address lies in none.
  std::optional<bool> in_cluster(const Event& event);
  bool elsewhere(const Event& event);
  bool in_globals(const Event& event);
  void check_shadow(const Event& event, const AccessedPlace& place);
  bool misses_proxy_fence(const Event& event, const Granule& granule, std::uint8_t mask, const AccessedPlace& place);
  void report_race(const Event& event, const Access& earlier, bool earlier_writes, const AccessedPlace& place);
  void report_unwritten(const Event& event, const AccessedPlace& place);
  std::string describe_stray(const Event& event, bool foreign_stack) const;
  void report(FindingKind kind, const Event& event, std::uint64_t space, const std::string& text);
  bool known(FindingKind kind, const Event& event, std::uint64_t space);

  template <typename Body>
  void for_each_lane(const Thread& thread, Body body) const {
    const int first = thread.linear / 32 * 32;
    const int end = std::min(first + 32, static_cast<int>(scheduler_.threads().size()));
    for (int linear = first; linear < end; ++linear) body(linear);
  }
  std::uint32_t site_of(const void* from) const;
  std::string self() const;
  std::string thread_name(std::uint32_t linear) const;
  std::string block_name(std::uint32_t linear) const;

  Checker& checker_;
  const SharedMemory memory_;
  Scheduler& scheduler_;
  int worker_;
  bool saw_access_ = false;
  BlockOrder order_;
  Shadow shared_;
  std::uint32_t block_ = 0;
  Cluster* cluster_ = nullptr;
  std::optional<PendingStore> pending_;
};

}  // namespace harness::cpu
