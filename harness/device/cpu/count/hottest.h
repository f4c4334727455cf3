#pragma once
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "harness/core/counting.h"
#include "harness/device/cpu/count/request.h"

namespace harness::cpu {

/// Which 32 bytes of global memory the atomic operations of the counted blocks want most. Those on one word take turns,
/// and so do requests for different words of one sector, as an H200 showed (docs/profile.md).
class AtomicSectors {
 public:
  void add(const Request& request, std::uint64_t site);
  /// A block that stands for so many has ended.
  void end_block(std::int64_t weight);
  /// What the others stand for, as often.
  void add(const AtomicSectors& others, std::int64_t weight);
  /// A sector that only one counted block wants may be that block's own: it stands for no others then.
  HottestAddress hottest() const;

 private:
  static constexpr std::size_t kMost = 1 << 16;  // of a block; beyond these nothing is contended

  struct Wanted {
    std::int64_t lanes = 0, requests = 0;                // of the blocks that were counted
    std::int64_t scaled_lanes = 0, scaled_requests = 0;  // of those that they stand for
    int blocks = 0;
    std::uint64_t site = ~0ull;  // the first place in the code
  };
  std::unordered_map<std::uint64_t, Wanted> block_, all_;  // by sector
};

}  // namespace harness::cpu
