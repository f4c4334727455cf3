#include "harness/device/cpu/count/rounds.h"

#include <algorithm>
#include <bit>

namespace harness::cpu {

void Rounds::add(const WarpLog::PlaceLog& place, Touched::Access access, std::uint64_t site, Counts& counts) {
  if (used_ == places_.size()) places_.emplace_back();
  RoundsOfPlace& added = places_[used_++];
  added.access = access;
  added.site = site;
  added.counts = &counts;
  added.ended = false;
  added.walk.begin(place);
  added.train.count = added.done = added.same_until = 0;
}

/// What holds for all requests of the train.
void Rounds::begin_train(RoundsOfPlace& place) {
  place.done = place.moved = 0;
  Counts& counts = *place.counts;
  const auto requests = static_cast<std::int64_t>(place.train.count);
  const std::int64_t lanes = std::popcount(place.train.request.lanes);
  counts[Count::memory_requests] += requests;
  counts[Count::memory_lanes] += requests * lanes;
  if (place.access == Touched::add) {
    counts[Count::atomics] += requests * lanes;
    counts[Count::atomic_requests] += requests;
    counts[Count::atomic_turns] += requests * atomic_turns(place.train.request);
    return;
  }
  const std::int64_t bytes = different_bytes(place.train.request);
  constexpr auto kSector = static_cast<std::int64_t>(kSectorBytes);
  counts[Count::bytes] += requests * bytes;
  counts[Count::least_sectors] += requests * ((bytes + kSector - 1) / kSector);
  const bool store = place.access == Touched::store;
  counts[store ? Count::store_requests : Count::load_requests] += requests;
  counts[store ? Count::store_width : Count::load_width] += requests * place.train.request.bytes;
}

void Rounds::find_sectors(RoundsOfPlace& place) {
  const std::uint64_t step = place.train.step;
  // Whole sectors further: then they all are.
  if (place.done > 0 && step % kSectorBytes == 0 && place.access != Touched::add) {
    const auto further = static_cast<std::int64_t>(step) / static_cast<std::int64_t>(kSectorBytes);
    place.sectors.shift((place.done - place.sectors_at) * static_cast<std::uint64_t>(further));
  } else {
    place.train.move(place.done - place.moved);
    place.moved = place.done;
    place.sectors = sectors_of(place.train.request);
  }
  place.sectors_at = place.done;
  // Each atomic operation is told by itself.
  const bool alone = place.access == Touched::add || (step != 0 && step % kSectorBytes == 0);
  const std::uint64_t same = alone ? 1 : with_same_sectors(place.train.request, step);
  place.same_until = place.done + std::min(same, place.train.count - place.done);
}

bool Rounds::move_on(RoundsOfPlace& place) {
  if (place.done < place.same_until) return false;
  if (place.done == place.train.count) {
    place.ended = !place.walk.next(place.train);
    if (place.ended) return true;
    begin_train(place);
  }
  find_sectors(place);
  return true;
}

void Rounds::add_sectors(RoundsOfPlace& place, std::uint64_t requests) {
  place.done += requests;
  if (place.access == Touched::add) return;
  (*place.counts)[place.access == Touched::store ? Count::store_sectors : Count::load_sectors] +=
      static_cast<std::int64_t>(requests) * place.sectors.size();
}

bool Rounds::serve(RoundsOfPlace& place, bool fresh) {
  if (fresh)
    for (const std::uint64_t sector : place.sectors) touched_.touch(sector, place.access);
  add_sectors(place, 1);
  if (place.access == Touched::add) atomics_.add(place.train.request, place.site);
  if (place.access != Touched::load) return true;
  std::int64_t missed = 0;
  for (const std::uint64_t sector : place.sectors) missed += !l1_.load(sector);
  (*place.counts)[Count::load_missed] += missed;
  return missed == 0;
}

/// How many rounds to come are like this one. Where all places want the sectors that they wanted before, and find them
/// in the L1, that has not changed: neither what is in it, nor what is older than what.
std::uint64_t Rounds::one_round() {
  bool alike = true;
  std::uint64_t repeated = ~0ull;
  ended_ = true;
  for (std::size_t i = 0; i < used_; ++i) {
    RoundsOfPlace& place = places_[i];
    if (place.ended) continue;
    const bool fresh = move_on(place);
    if (place.ended) continue;
    ended_ = false;
    alike = serve(place, fresh) && !fresh && alike;
    repeated = std::min(repeated, place.same_until - place.done);
  }
  return alike && !ended_ ? repeated : 0;
}

void Rounds::repeat(std::uint64_t rounds) {
  for (std::size_t i = 0; i < used_; ++i)
    if (!places_[i].ended) add_sectors(places_[i], rounds);
}

void Rounds::run() {
  if (used_ == 0) return;
  do {
    if (const std::uint64_t rounds = one_round(); rounds > 0) repeat(rounds);
  } while (!ended_);
  used_ = 0;
}

}  // namespace harness::cpu
