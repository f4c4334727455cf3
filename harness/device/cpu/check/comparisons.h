#pragma once
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/core/memory_check.h"
#include "harness/core/switch_case.h"

namespace harness::cpu {

/// What the comparisons of a run came to, by their place. One host thread at a time runs a checked candidate.
class Comparisons {
 public:
  /// `bytes` and the bits of both are what harness_cpu_compared was told.
  void add(std::uint64_t site, int bytes, std::uint64_t left, std::uint64_t right);
  /// In the order of their places. Where there are more of them than are kept, the last is kTooManySites.
  std::vector<ComparedSite> take();

 private:
  static constexpr std::size_t kMostSites = 1 << 14;
  ComparedSite* find_or_add(std::uint64_t site);

  std::unordered_map<std::uint64_t, ComparedSite> sites_;
  // Every thread of a block compares at the same few places, one after the other: those are found without the map.
  static constexpr std::size_t kRecent = 256;
  std::array<ComparedSite*, kRecent> recent_{};  // by the place's last bits
};

}  // namespace harness::cpu
