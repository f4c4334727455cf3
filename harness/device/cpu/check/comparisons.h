#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "harness/core/memory_check.h"

namespace harness::cpu {

/// What the comparisons of a run came to, by their place. One host thread at a time runs a checked candidate.
class Comparisons {
 public:
  /// `bytes`: of two integers, which have a sign; less than 0: of two floating numbers. The bits of both.
  void add(std::uint64_t site, int bytes, std::uint64_t left, std::uint64_t right);
  /// In the order of their places.
  std::vector<ComparedSite> take();

 private:
  static constexpr std::size_t kMostSites = 4096;
  std::unordered_map<std::uint64_t, ComparedSite> sites_;
};

}  // namespace harness::cpu
