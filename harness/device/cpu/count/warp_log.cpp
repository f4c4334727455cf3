#include "harness/device/cpu/count/warp_log.h"

#include <algorithm>
#include <bit>

namespace harness::cpu {

WarpLog::Place& WarpLog::touch(std::size_t place) {
  if (place >= places_.size()) places_.resize(place + 1);
  places_[place].touched = true;
  touched_.push_back(place);
  return places_[place];
}

WarpLog::Place& WarpLog::measure(Place& log) {
  log.all = log.lanes = 0;
  log.by_all = kKept;
  for (std::size_t lane = 0; lane < log.times.size(); ++lane) {
    if (log.times[lane] == 0) continue;
    log.lanes |= 1u << lane;
    log.all = std::max(log.all, log.times[lane]);
    log.by_all = std::min(log.by_all, log.times[lane]);
    log.next[lane] = {.run = 0, .number = 0, .address = log.runs[lane].front().first};
  }
  log.kept = std::min(log.all, kKept);
  log.uneven = std::ranges::any_of(log.times, [&](std::uint32_t each) { return each != 0 && each != log.all; });
  return log;
}

const Request& WarpLog::request(Place& log, std::uint32_t number) {
  request_.lanes = log.lanes;
  if (number >= log.by_all) {
    request_.lanes = 0;
    for (std::size_t lane = 0; lane < log.times.size(); ++lane)
      request_.lanes |= static_cast<std::uint32_t>(log.times[lane] > number) << lane;
  }
  request_.bytes = log.bytes[number];
  for (std::uint32_t left = request_.lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(left));
    Next& next = log.next[lane];
    request_.address[lane] = next.address;
    const std::vector<Run>& runs = log.runs[lane];
    if (++next.number < runs[next.run].count) next.address += runs[next.run].step;
    else if (++next.run < runs.size()) next.number = 0, next.address = runs[next.run].first;
  }
  return request_;
}

}  // namespace harness::cpu
