#pragma once
#include <cstdint>
#include <vector>

#include "harness/core/counting.h"
#include "harness/device/cpu/count/hottest.h"
#include "harness/device/cpu/count/l1_cache.h"
#include "harness/device/cpu/count/request.h"
#include "harness/device/cpu/count/touched.h"
#include "harness/device/cpu/count/walk.h"

namespace harness::cpu {

/// Requests of global memory that a warp made between two points of convergence, in about the order in which it would
/// have made them: the first at each place, then the second. Here that order matters: for what of them is in the L1,
/// and for what a block does first to a sector.
class Rounds {
 public:
  Rounds(Touched& touched, AtomicSectors& atomics, L1Cache& l1) : touched_(touched), atomics_(atomics), l1_(l1) {}

  /// What the warp did at a place that lies at `site` in the code. `counts` is added to; both outlive run().
  void add(const WarpLog::PlaceLog& place, Touched::Access access, std::uint64_t site, Counts& counts);
  /// Counts what was added, and forgets it.
  void run();

 private:
  struct RoundsOfPlace {
    Touched::Access access{};
    std::uint64_t site = 0;
    Counts* counts = nullptr;
    bool ended = false;
    Walk walk;
    Train train;
    std::uint64_t done = 0;        // of its requests
    std::uint64_t moved = 0;       // which of them `train.request` is
    FewNumbers sectors;            // of the next one
    std::uint64_t sectors_at = 0;  // which was the first to have them
    std::uint64_t same_until = 0;  // which is the first to have others
  };

  /// To the next request. Whether it wants other sectors than the one before, or there is none.
  static bool move_on(RoundsOfPlace& place);
  static void begin_train(RoundsOfPlace& place);
  static void find_sectors(RoundsOfPlace& place);
  static void add_sectors(RoundsOfPlace& place, std::uint64_t requests);
  /// False: some were not in the L1.
  bool serve(RoundsOfPlace& place, bool fresh);
  std::uint64_t one_round();
  void repeat(std::uint64_t rounds);

  Touched& touched_;
  AtomicSectors& atomics_;
  L1Cache& l1_;
  std::vector<RoundsOfPlace> places_;
  std::size_t used_ = 0;  // of them, which keep their memory
  bool ended_ = false;
};

}  // namespace harness::cpu
