#include "harness/device/cpu/count/walk.h"

#include <algorithm>
#include <bit>

namespace harness::cpu {
void Walk::begin(const WarpLog::PlaceLog& place) {
  place_ = &place;
  number_ = all_ = 0;
  by_all_ = ~0ull;
  each_lane(place.seen, [&](std::size_t lane) {
    const std::uint64_t times = place.lanes[lane].times();
    all_ = std::max(all_, times);
    by_all_ = std::min(by_all_, times);
    run_[lane] = 0;
    open(lane);
  });
  uneven_ = all_ != by_all_;
  kept_ = std::min(all_, WarpLog::kKept);
}

void Walk::open(std::size_t lane) {
  const Run run = place_->lanes[lane].run(run_[lane]);
  address_[lane] = run.first;
  step_[lane] = run.step;
  left_[lane] = run.count;
  bytes_[lane] = run.bytes;
}

std::uint32_t Walk::lanes_now() const {
  if (number_ < by_all_) return place_->seen;
  std::uint32_t lanes = 0;
  each_lane(place_->seen, [&](std::size_t lane) {
    lanes |= static_cast<std::uint32_t>(place_->lanes[lane].times() > number_) << lane;
  });
  return lanes;
}

/// How many requests from here on are alike. The one after the last of a lane's run is where it is for another reason.
std::uint64_t Walk::alike(std::uint32_t lanes, std::uint64_t step) const {
  std::uint64_t count = kept_ - number_;
  bool together = true;
  each_lane(lanes, [&](std::size_t lane) {
    count = std::min(count, left_[lane]);
    together = together && step_[lane] == step;
  });
  return together ? count : 1;
}

void Walk::advance(std::uint32_t lanes, std::uint64_t requests) {
  each_lane(lanes, [&](std::size_t lane) {
    address_[lane] += requests * step_[lane];
    left_[lane] -= requests;
    if (left_[lane] == 0 && ++run_[lane] <= place_->lanes[lane].runs.size()) open(lane);
  });
}

bool Walk::next(Train& train) {
  if (number_ == kept_) return false;
  const std::uint32_t lanes = lanes_now();
  train.request.lanes = lanes;
  train.request.address = address_;
  train.request.bytes = bytes_[static_cast<std::size_t>(std::bit_width(lanes) - 1)];
  train.step = step_[static_cast<std::size_t>(std::countr_zero(lanes))];
  train.count = alike(lanes, train.step);
  advance(lanes, train.count);
  number_ += train.count;
  return true;
}

}  // namespace harness::cpu
