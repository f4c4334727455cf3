#include "harness/device/cpu/count/tally.h"

#include <algorithm>

namespace harness::cpu {

static TouchedSectors times(const TouchedSectors& sectors, std::int64_t weight) {
  return {sectors.touched * weight, sectors.loaded * weight, sectors.stored * weight};
}

void Tally::add(const Tally& other, std::int64_t weight) {
  for (std::size_t i = 0; i < other.places.size(); ++i) {
    const CountedPlace& place = other.places[i];
    const bool here = i < places.size() && places[i].site == place.site;  // as it mostly is
    auto same = here ? places.begin() + static_cast<std::ptrdiff_t>(i)
                     : std::ranges::find(places, place.site, &CountedPlace::site);
    if (same == places.end()) same = places.insert(same, {place.site, {}});
    same->counts.add(place.counts, weight);
  }
  roles.add(other.roles, weight);
  atomics.add(other.atomics, weight);
  buffers.resize(std::max(buffers.size(), other.buffers.size()));
  for (std::size_t i = 0; i < other.buffers.size(); ++i) {
    buffers[i].buffer = other.buffers[i].buffer;
    buffers[i].by_block += times(other.buffers[i].by_block, weight);
    buffers[i].together += other.buffers[i].together;
  }
  work += weight * other.work;
  heaviest = std::max(heaviest, other.heaviest);
  blocks_meet = blocks_meet || other.blocks_meet;
  atomics_used = atomics_used || other.atomics_used;
}

std::int64_t Tally::accesses() const {
  std::int64_t sum = 0;
  for (const CountedPlace& place : places) sum += place.counts[Count::memory_lanes];
  return sum;
}

}  // namespace harness::cpu
