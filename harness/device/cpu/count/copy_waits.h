#pragma once
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace harness::cpu {

/// Which waits for asynchronous copies a GPU would feel. A copy takes as long as a load. Who has waited for another one
/// since it began has worked on what that one brought, and finds it done; who has not waits from beginning to end.
///
/// The fibers of a block run in an order of their own, so "since" goes by what the threads wait for, as in Lamport's
/// clocks: each has a time, which goes on by one with each wait for a copy, and everything that synchronizes hands the
/// later time on.
class CopyWaits {
 public:
  /// A block of so many threads begins.
  void begin(std::size_t threads);

  /// The thread arrives at an mbarrier, or begins a bulk copy that will.
  void arrive(int thread, const void* mbarrier);
  void copy(int thread, const void* mbarrier);
  /// The thread has waited for the mbarrier. Whether it was for a copy that began after its last such wait.
  bool pass(int thread, const void* mbarrier);

  /// cp.async: into the open group, which is then closed; and a wait for all groups but the last `groups` (below 0: for
  /// everything), answered as pass() does.
  void copy(int thread) { threads_[static_cast<std::size_t>(thread)].open = true; }
  void commit(int thread);
  bool wait(int thread, int groups);

  /// At a barrier: when the thread has come, and what those who wait for it learn.
  std::int64_t time(int thread) const { return threads_[static_cast<std::size_t>(thread)].time; }
  void learn(int thread, std::int64_t time);

 private:
  static constexpr std::int64_t kNone = -1;

  struct Clock {
    std::int64_t time = 0;
    bool open = false;                // the group that is not closed has a copy
    std::deque<std::int64_t> groups;  // closed ones: when each began its copies, or kNone
  };
  struct Phase {
    std::int64_t arrived = 0, copied = kNone;  // the latest
  };

  /// The thread's wait for copies of that time has ended.
  bool pass(Clock& self, std::int64_t copied);

  std::vector<Clock> threads_;
  std::unordered_map<const void*, Phase> mbarriers_;
};

}  // namespace harness::cpu
