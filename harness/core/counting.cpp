#include "harness/core/counting.h"

#include <algorithm>

#include "harness/core/json_fields.h"

namespace harness {

Counts& Counts::add(const Counts& other, std::int64_t times) {
  for (std::size_t i = 0; i < kCounts; ++i) of[i] += other.of[i] * times;
  return *this;
}

TouchedSectors& TouchedSectors::operator+=(const TouchedSectors& other) {
  touched += other.touched;
  loaded += other.loaded;
  stored += other.stored;
  return *this;
}

Counts Counts::scaled(std::int64_t all, std::int64_t seen) const {
  Counts counts = *this;
  if (seen <= 0 || all == seen) return counts;
  for (std::int64_t& each : counts.of) each = (each * all + seen / 2) / seen;
  return counts;
}

std::int64_t work_of(const Counts& counts) {
  constexpr std::int64_t kPass = 4, kTurn = 16;
  const std::int64_t requests = counts[Count::load_requests] + counts[Count::store_requests];
  const std::int64_t sectors = counts[Count::load_sectors] + counts[Count::store_sectors];
  const std::int64_t passes = counts[Count::shared_wavefronts] + counts[Count::shared_fills] +
                              counts[Count::constant_words] + counts[Count::tensor_instructions];
  return std::max(kPass * requests, sectors) + kPass * passes + kTurn * counts[Count::atomic_turns];
}

static void to_json(json& to, const CountedPlace& place) {
  to = json::array({place.site, place.counts.of});
}

static std::int64_t whole_number(const json& from) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(from.get<std::uint64_t>(), 1ull << 60));
}

static void from_json(const json& from, CountedPlace& place) {
  from.at(0).get_to(place.site);
  for (std::size_t i = 0; i < kCounts; ++i) place.counts.of[i] = whole_number(from.at(1).at(i));
}

static void to_json(json& to, const CountedRole& role) {
  to = json::array({role.warps, role.requests});
}
static void from_json(const json& from, CountedRole& role) {
  role.warps = whole_number(from.at(0));
  for (const json& each : from.at(1)) role.requests.emplace_back(each.at(0), whole_number(each.at(1)));
}

HARNESS_JSON(CountingRequest, blocks, run_all, seed)
static void to_json(json& to, const TouchedSectors& sectors) {
  to = json::array({sectors.touched, sectors.loaded, sectors.stored});
}
static void from_json(const json& from, TouchedSectors& sectors) {
  sectors = {whole_number(from.at(0)), whole_number(from.at(1)), whole_number(from.at(2))};
}
static void to_json(json& to, const CountedBuffer& buffer) {
  to = json::array({buffer.buffer, buffer.by_block, buffer.together});
}
static void from_json(const json& from, CountedBuffer& buffer) {
  buffer.buffer = whole_number(from.at(0));
  from.at(1).get_to(buffer.by_block);
  from.at(2).get_to(buffer.together);
}
static void to_json(json& to, const HottestAddress& hottest) {
  to = json::array({hottest.site, hottest.lanes, hottest.requests});
}
static void from_json(const json& from, HottestAddress& hottest) {
  hottest = {from.at(0).get<std::uint64_t>(), whole_number(from.at(1)), whole_number(from.at(2))};
}

HARNESS_JSON(CountedLaunch, step, blocks, counted_blocks, blocks_meet, atomics, hottest, work, heaviest, places, roles,
             buffers)

}  // namespace harness
