#include "harness/device/cpu/count/hottest.h"

#include <algorithm>
#include <tuple>

namespace harness::cpu {

/// The most lanes that want the same word of the sector.
static int turns_in(const Request& request, std::uint64_t sector) {
  Request part = request;
  for (std::size_t lane = 0; lane < part.address.size(); ++lane)
    if ((part.lanes >> lane & 1) != 0 && part.address[lane] / kSectorBytes != sector) part.lanes &= ~(1u << lane);
  return atomic_turns(part);
}

void AtomicSectors::add(const Request& request, std::uint64_t site) {
  for (const std::uint64_t sector : sectors_of(request)) {
    auto wanted_sector = block_.find(sector);
    if (wanted_sector == block_.end()) {
      if (block_.size() == kMost) return;
      wanted_sector = block_.try_emplace(sector).first;
    }
    Wanted& wanted = wanted_sector->second;
    wanted.lanes += turns_in(request, sector);
    ++wanted.requests;
    wanted.site = std::min(wanted.site, site);
  }
}

void AtomicSectors::end_block(std::int64_t weight) {
  for (const auto& [sector, of_block] : block_) {
    Wanted& wanted = all_[sector];
    wanted.lanes += of_block.lanes;
    wanted.requests += of_block.requests;
    wanted.scaled_lanes += of_block.lanes * weight;
    wanted.scaled_requests += of_block.requests * weight;
    ++wanted.blocks;
    wanted.site = std::min(wanted.site, of_block.site);
  }
  block_.clear();
}

void AtomicSectors::add(const AtomicSectors& others, std::int64_t weight) {
  for (const auto& [sector, other] : others.all_) {
    Wanted& wanted = all_[sector];
    wanted.lanes += other.lanes;
    wanted.requests += other.requests;
    wanted.scaled_lanes += other.scaled_lanes * weight;
    wanted.scaled_requests += other.scaled_requests * weight;
    wanted.blocks += other.blocks;
    wanted.site = std::min(wanted.site, other.site);
  }
}

HottestAddress AtomicSectors::hottest() const {
  HottestAddress most;
  for (const auto& [sector, wanted] : all_) {
    const bool shared = wanted.blocks > 1;
    const HottestAddress here{wanted.site, shared ? wanted.scaled_lanes : wanted.lanes,
                              shared ? wanted.scaled_requests : wanted.requests};
    // The order of the sectors says nothing: of equals always the same is named.
    if (std::tuple(here.lanes, here.requests, most.site) > std::tuple(most.lanes, most.requests, here.site))
      most = here;
  }
  return most;
}

}  // namespace harness::cpu
