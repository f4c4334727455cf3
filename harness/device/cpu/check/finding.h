#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/core/memory_check.h"

namespace harness::cpu {

enum class FindingKind : std::uint64_t {
  race = 1,
  out_of_bounds,
  misaligned,
  uninitialized,
  barrier_divergence,
  inactive_lane,
  other
};
const char* name(FindingKind kind);  // as in core/memory_check.h

/// The distinct findings of a run, in the order in which they were first seen.
class RawFindings {
 public:
  static constexpr std::size_t kMax = 200;
  /// What makes two sightings one finding: the kind, both places and the memory.
  using Key = std::array<std::uint64_t, 4>;

  /// Counts one more sighting; nullptr: nobody has described this one yet.
  RawFinding* again(const Key& key);
  /// Dropped when there are too many.
  void add(const Key& key, RawFinding finding);
  /// The one that a later look at memory belongs to; nullptr: it was dropped.
  RawFinding* find(const Key& key);
  std::vector<RawFinding> take();

 private:
  std::map<Key, std::size_t> index_;
  std::vector<RawFinding> list_;
};

}  // namespace harness::cpu
