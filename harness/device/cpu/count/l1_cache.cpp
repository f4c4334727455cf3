#include "harness/device/cpu/count/l1_cache.h"

#include <algorithm>

namespace harness::cpu {

void L1Cache::begin(std::int64_t bytes) {
  const std::int64_t sets = std::max<std::int64_t>(1, bytes / kLineBytes / static_cast<std::int64_t>(kWays));
  sets_.assign(static_cast<std::size_t>(sets), {});
  now_ = 0;
}

bool L1Cache::load(std::uint64_t sector) {
  const std::uint64_t line = sector / 4;
  const auto bit = static_cast<std::uint8_t>(1u << sector % 4);
  auto& set = sets_[(line ^ line >> 7) % sets_.size()];  // strides of powers of two are spread
  ++now_;
  Line* victim = set.data();
  for (Line& each : set) {
    if (each.tag == line) {
      each.used = now_;
      const bool hit = (each.sectors & bit) != 0;
      each.sectors |= bit;
      return hit;
    }
    if (each.used < victim->used) victim = &each;
  }
  *victim = {line, now_, bit};
  return false;
}

}  // namespace harness::cpu
