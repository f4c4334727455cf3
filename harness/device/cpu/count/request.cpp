#include "harness/device/cpu/count/request.h"

#include <algorithm>
#include <bit>
#include <set>

namespace harness::cpu {
namespace {

constexpr std::uint64_t kWordBytes = 4, kWarpLanes = 32;
constexpr std::size_t kBanks = 32;

/// The most words that one bank is asked for. Words are compared within their bank alone.
int passes_of(const Request& request, std::uint32_t lanes) {
  std::array<std::array<std::uint64_t, 64>, kBanks> words;
  std::array<int, kBanks> filled{};
  int most = 0;
  each_lane(lanes, [&](std::size_t lane) {
    const std::uint64_t first = request.address[lane] / kWordBytes,
                        last = (request.address[lane] + request.bytes - 1) / kWordBytes;
    for (std::uint64_t word = first; word <= last; ++word) {
      const auto bank = static_cast<std::size_t>(word % kBanks);
      auto* const begin = words[bank].data();
      auto* const end = begin + filled[bank];
      if (std::find(begin, end, word) != end) continue;
      *end = word;
      most = std::max(most, ++filled[bank]);
    }
  });
  return most;
}

std::uint32_t first_lanes(int count) {
  return count == 32 ? ~0u : (1u << count) - 1;
}

/// Whether each of these lanes wants what its partner wants, `apart` lanes away, or has none.
bool in_pairs(const Request& request, std::uint32_t lanes, std::size_t apart) {
  bool all = true;
  each_lane(lanes, [&](std::size_t lane) {
    const std::size_t partner = lane ^ apart;
    all = all && ((lanes >> partner & 1) == 0 || request.address[partner] == request.address[lane]);
  });
  return all;
}

/// All 32 lanes, side by side in memory: most requests. What is asked about them below has a short answer.
bool side_by_side(const Request& request) {
  if (request.lanes != ~0u) return false;
  std::uint64_t apart = 0;
  for (std::size_t lane = 0; lane < request.address.size(); ++lane)
    apart |= request.address[lane] ^ (request.address[0] + lane * request.bytes);
  return apart == 0;
}

/// All 32 lanes, each at least so many bytes behind the one before.
bool apart_by(const Request& request, std::uint64_t bytes) {
  if (request.lanes != ~0u) return false;
  bool all = true;
  for (std::size_t lane = 1; lane < request.address.size(); ++lane)
    all &= request.address[lane] >= request.address[lane - 1] + bytes;
  return all;
}

/// A sector for each of all 32 lanes: the other frequent request.
bool scattered(const Request& request) {
  if (!apart_by(request, kSectorBytes)) return false;
  bool all = true;
  for (const std::uint64_t address : request.address) all &= address % kSectorBytes + request.bytes <= kSectorBytes;
  return all;
}

}  // namespace

bool FewNumbers::add(std::uint64_t number) {
  // Addresses mostly ascend with the lanes, and neighbours want the same place or the next: the last ones first.
  if (number <= largest_)
    for (int i = size_; i-- > 0;)
      if (numbers_[static_cast<std::size_t>(i)] == number) return false;
  if (size_ == static_cast<int>(numbers_.size())) return false;
  largest_ = std::max(largest_, number);
  numbers_[static_cast<std::size_t>(size_++)] = number;
  return true;
}

FewNumbers sectors_of(const Request& request) {
  FewNumbers sectors;
  if (side_by_side(request)) {
    const std::uint64_t end = request.address[0] + kWarpLanes * request.bytes;
    for (std::uint64_t sector = request.address[0] / kSectorBytes; sector * kSectorBytes < end; ++sector)
      sectors.add(sector);
    return sectors;
  }
  if (scattered(request)) {
    for (const std::uint64_t address : request.address) sectors.append(address / kSectorBytes);
    return sectors;
  }
  each_lane(request.lanes, [&](std::size_t lane) {
    const std::uint64_t first = request.address[lane] / kSectorBytes,
                        last = (request.address[lane] + request.bytes - 1) / kSectorBytes;
    sectors.add(first);
    if (last != first) sectors.add(last);
  });
  return sectors;
}

std::uint64_t with_same_sectors(const Request& request, std::uint64_t step) {
  if (step == 0) return ~0ull;
  const bool down = static_cast<std::int64_t>(step) < 0;
  const std::uint64_t distance = down ? -step : step;
  if (distance >= kSectorBytes) return 1;
  std::uint64_t room = kSectorBytes;  // the least that a first or last byte has before the next sector
  each_lane(request.lanes, [&](std::size_t lane) {
    for (const std::uint64_t byte : {request.address[lane], request.address[lane] + request.bytes - 1}) {
      const std::uint64_t within = byte % kSectorBytes;
      room = std::min(room, down ? within : kSectorBytes - 1 - within);
    }
  });
  return room / distance + 1;
}

std::int64_t different_bytes(const Request& request) {
  if (apart_by(request, 1)) return static_cast<std::int64_t>(kWarpLanes * request.bytes);
  FewNumbers addresses;
  each_lane(request.lanes, [&](std::size_t lane) { addresses.add(request.address[lane]); });
  return static_cast<std::int64_t>(addresses.size()) * request.bytes;
}

SharedPasses shared_passes(const Request& request) {
  const int together = request.bytes <= 4 ? 32 : request.bytes <= 8 ? 16 : 8;
  if (side_by_side(request) && request.address[0] % kWordBytes == 0) return {32 / together, 32 / together};
  SharedPasses passes;
  const auto pass = [&](std::uint32_t lanes) {
    if (lanes == 0) return;
    passes.all += passes_of(request, lanes);
    ++passes.least;
  };
  if (together == 32) pass(request.lanes);
  else
    for (int first = 0; first < 32; first += 2 * together) {
      const std::uint32_t both = request.lanes & first_lanes(2 * together) << first;
      if (in_pairs(request, both, 1) || in_pairs(request, both, 2)) {
        pass(both);
      } else {
        pass(both & first_lanes(together) << first);
        pass(both & first_lanes(together) << (first + together));
      }
    }
  return passes;
}

int constant_words(const Request& request) {
  std::set<std::uint64_t> words;
  each_lane(request.lanes, [&](std::size_t lane) {
    const std::uint64_t last = (request.address[lane] + request.bytes - 1) / kWordBytes;
    for (std::uint64_t word = request.address[lane] / kWordBytes; word <= last; ++word) words.insert(word);
  });
  return static_cast<int>(words.size());
}

int atomic_turns(const Request& request) {
  int most = 0;
  each_lane(request.lanes, [&](std::size_t lane) {
    int same = 0;
    each_lane(request.lanes, [&](std::size_t other) { same += request.address[other] == request.address[lane]; });
    most = std::max(most, same);
  });
  return most;
}

}  // namespace harness::cpu
