#include "harness/device/cpu/count/warp_log.h"

#include "harness/device/cpu/count/request.h"

namespace harness::cpu {
WarpLog::PlaceLog& WarpLog::place(std::size_t number) {
  while (number >= places_.size()) {
    const std::size_t next = places_.size();
    places_.emplace_back().number = next;
  }
  return places_[number];
}

/// Of the run that ends, what is not kept at all.
static Run close(WarpLog::Lane& lane) {
  const Run run = lane.open_run();
  const bool kept = lane.closed < WarpLog::kKept;
  lane.closed += lane.open;
  if (!kept) return run;
  lane.runs.push_back(run);
  return {};
}

Run WarpLog::note(PlaceLog& place, std::uint32_t lane, std::uint64_t address, std::uint64_t origin,
                  std::uint32_t bytes) {
  Lane& self = place.lanes[lane];
  Run ended;
  if (self.open > 0) {
    const bool alike = self.bytes == bytes && self.origin == origin;
    if (alike && self.goes_on(address)) return ended;
    if (alike && self.open == 1) {
      self.step = address - self.begin;
      self.next = address + self.step;
      ++self.open;
      return ended;
    }
    ended = close(self);
  } else {
    if (place.seen == 0) touched_.push_back(&place);
    place.seen |= 1u << lane;
  }
  self.next = 0;
  self.begin = address;
  self.origin = origin;
  self.bytes = bytes;
  self.step = 0;
  self.open = 1;
  return ended;
}

void WarpLog::clear() {
  for (PlaceLog* const place : touched_) {
    each_lane(place->seen, [&](std::size_t lane) {
      Lane& self = place->lanes[lane];
      self.runs.clear();
      self.open = self.closed = self.next = 0;
    });
    place->seen = 0;
  }
  touched_.clear();
}

}  // namespace harness::cpu
