#include "harness/device/cpu/count/warp_log.h"

#include <algorithm>

namespace harness::cpu {

WarpLog::Place& WarpLog::touch(std::size_t place) {
  if (place >= places_.size()) places_.resize(place + 1);
  places_[place].touched = true;
  touched_.push_back(place);
  return places_[place];
}

void WarpLog::grow(Place& log) {
  constexpr std::size_t kLine = 8;  // addresses in a line of the processor's cache
  const std::size_t old = log.bytes.size(), room = std::clamp<std::size_t>(8 * old, kLine, kKept);
  const std::size_t stride = room + kLine, lanes = log.times.size();
  // What nobody writes is not touched: a long loop of a few lanes takes few pages.
  auto addresses = std::make_unique_for_overwrite<std::uint64_t[]>(stride * lanes);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    std::copy_n(log.addresses.get() + lane * log.stride, old, addresses.get() + lane * stride);
  log.addresses = std::move(addresses);
  log.stride = stride;
  log.bytes.resize(room);
}

WarpLog::Place& WarpLog::measure(Place& log) {
  log.all = log.lanes = 0;
  log.by_all = kKept;
  for (std::size_t lane = 0; lane < log.times.size(); ++lane) {
    if (log.times[lane] == 0) continue;
    log.lanes |= 1u << lane;
    log.all = std::max(log.all, log.times[lane]);
    log.by_all = std::min(log.by_all, log.times[lane]);
  }
  log.kept = std::min(log.all, kKept);
  log.uneven = std::ranges::any_of(log.times, [&](std::uint32_t each) { return each != 0 && each != log.all; });
  return log;
}

const Request& WarpLog::request(const Place& log, std::uint32_t number) {
  request_.lanes = log.lanes;
  if (number >= log.by_all) {
    request_.lanes = 0;
    for (std::size_t lane = 0; lane < log.times.size(); ++lane)
      request_.lanes |= static_cast<std::uint32_t>(log.times[lane] > number) << lane;
  }
  request_.bytes = log.bytes[number];
  const std::uint64_t* address = log.addresses.get() + number;
  for (std::uint64_t& each : request_.address) {
    each = *address;
    address += log.stride;
  }
  return request_;
}

}  // namespace harness::cpu
