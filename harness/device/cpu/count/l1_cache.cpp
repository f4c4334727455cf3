#include "harness/device/cpu/count/l1_cache.h"

#include <algorithm>

namespace harness::cpu {

void L1Cache::begin(std::int64_t bytes) {
  const std::int64_t sets = std::max<std::int64_t>(1, bytes / kLineBytes / static_cast<std::int64_t>(kWays));
  Set empty;
  empty.tag.fill(~0ull);
  sets_.assign(static_cast<std::size_t>(sets), empty);
  inverse_ = ~0ull / static_cast<std::uint64_t>(sets) + 1;
  now_ = 0;
}

L1Cache::Set& L1Cache::set_of(std::uint64_t line) {
  const std::uint64_t spread = line ^ line >> 7;  // strides of powers of two
  if (sets_.size() == 1) return sets_.front();
  // The remainder without a division: exact for numbers below 2^50 and a few thousand sets.
  __extension__ typedef unsigned __int128 Wide;
  const auto quotient = static_cast<std::uint64_t>(static_cast<Wide>(spread) * inverse_ >> 64);
  return sets_[spread - quotient * sets_.size()];
}

bool L1Cache::load(std::uint64_t sector) {
  const std::uint64_t line = sector / 4;
  const auto bit = static_cast<std::uint8_t>(1u << sector % 4);
  Set& set = set_of(line);
  ++now_;
  const std::size_t way = set.tag[set.last] == line
                              ? set.last
                              : static_cast<std::size_t>(std::ranges::find(set.tag, line) - set.tag.begin());
  if (way < kWays) {
    set.last = way;
    set.used[way] = now_;
    const bool hit = (set.sectors[way] & bit) != 0;
    set.sectors[way] |= bit;
    return hit;
  }
  const auto victim = static_cast<std::size_t>(std::ranges::min_element(set.used) - set.used.begin());
  set.last = victim;
  set.tag[victim] = line;
  set.used[victim] = now_;
  set.sectors[victim] = bit;
  return false;
}

}  // namespace harness::cpu
