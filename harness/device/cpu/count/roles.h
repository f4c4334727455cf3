#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "harness/core/counting.h"

namespace harness::cpu {

/// Warps by what they do: those that came to the same places of the code have one role. Of a block that copies with one
/// warp and multiplies with eight there are two.
class Roles {
 public:
  using Requests = std::vector<std::pair<std::uint64_t, std::int64_t>>;  // by place, ascending

  /// A warp that stands for `weight` others of its kind, with itself.
  void add(const Requests& requests, std::int64_t weight);
  /// The others' warps, as often as they stand for.
  void add(const Roles& others, std::int64_t weight);
  /// The most frequent first. Beyond the 12th they are put together: a kernel whose lanes draw their way has no roles.
  std::vector<CountedRole> take() const;

 private:
  static constexpr std::size_t kMost = 12;
  std::map<std::vector<std::uint64_t>, CountedRole> known_;  // by the places
};

}  // namespace harness::cpu
