#include "harness/device/cpu/check/ordering.h"

#include <algorithm>
#include <bit>

namespace harness::cpu {
namespace {

void raise(std::uint32_t& value, std::uint32_t to) {
  value = std::max(value, to);
}

template <typename Body>
void for_each_lane_of(std::uint32_t lanes, Body body) {
  for (; lanes; lanes &= lanes - 1) body(std::countr_zero(lanes));
}

}  // namespace

void LaunchOrder::begin(bool overlaps) {
  // The launch before this one had ended all earlier ones if somebody in it waited for them, and nobody let this one
  // begin before that.
  const bool alone = waited_ && !triggered_;
  const std::uint32_t concurrent = alone ? first_epoch_ : first_concurrent_epoch_;
  first_epoch_ = ++epoch_;
  first_concurrent_epoch_ = overlaps ? concurrent : first_epoch_;
  waited_ = !overlaps;
  triggered_ = false;
  locations_.clear();
  releases_.clear();
}

void ClusterOrder::arrive(std::uint32_t block, int thread, std::uint32_t stamp) {
  arrivals_[std::uint64_t{block} << 32 | static_cast<std::uint32_t>(thread)].push_back(stamp);
}

bool ClusterOrder::ordered(const Access& earlier, std::uint32_t waits) const {
  const auto arrived = arrivals_.find(std::uint64_t{earlier.block} << 32 | earlier.thread);
  if (arrived == arrivals_.end()) return false;
  const std::vector<std::uint32_t>& arrivals = arrived->second;
  const auto next = std::upper_bound(arrivals.begin(), arrivals.end(), earlier.stamp);
  return next != arrivals.end() && static_cast<std::uint32_t>(next - arrivals.begin()) < waits;
}

void ClusterOrder::arrive_at_mbarrier(std::uint32_t block, int thread, std::uint32_t at, std::uint32_t stamp) {
  mbarrier_arrivals_[at][std::uint64_t{block} << 32 | static_cast<std::uint32_t>(thread)] = stamp;
}

bool ClusterOrder::has_arrived_since(const Access& earlier, std::uint32_t at) const {
  const auto there = mbarrier_arrivals_.find(at);
  if (there == mbarrier_arrivals_.end()) return false;
  const auto arrived = there->second.find(std::uint64_t{earlier.block} << 32 | earlier.thread);
  return arrived != there->second.end() && arrived->second > earlier.stamp;
}

void BlockOrder::begin(LaunchOrder& launch, std::uint32_t block, int threads) {
  launch_ = &launch;
  cluster_ = nullptr;
  block_ = block;
  first_epoch_ = epoch_ = launch.next_epoch();
  threads_.assign(static_cast<std::size_t>(threads), {});
  grid_waited_ = launch.first_concurrent_epoch() == launch.first_epoch();
  for (ThreadOrder& thread : threads_) thread.grid_waited = grid_waited_;
  for (int i = 0; i < threads; ++i) ++warps_[i / 32].known[i % 32][i % 32];
}

Access BlockOrder::stamp(int thread, std::uint32_t site, bool atomic) const {
  Access access;
  access.site = site;
  access.block = block_;
  access.epoch = epoch_;
  access.clock = warps_[thread / 32].known[thread % 32][thread % 32];
  // An atomic behind a fence belongs to what it releases: who acquires from it may use the location plainly.
  const std::uint32_t fenced = threads_[static_cast<std::size_t>(thread)].fenced;
  access.stamp = atomic && fenced ? fenced - 1 : launch_->stamp();
  access.thread = static_cast<std::uint16_t>(thread);
  access.atomic = atomic;
  return access;
}

bool BlockOrder::ordered(const Access& earlier, int thread) const {
  if (earlier.epoch < launch_->first_epoch()) return knows_of_earlier_launches(thread);
  if (cluster_ && cluster_->ordered(earlier, threads_[static_cast<std::size_t>(thread)].cluster_waits)) return true;
  return earlier.block == block_ ? ordered_within(earlier, thread) : ordered_across(earlier, thread);
}

bool BlockOrder::ordered_within(const Access& earlier, int thread) const {
  if (earlier.epoch < epoch_ || earlier.thread == thread) return true;
  if (earlier.thread / 32 == thread / 32 &&
      warps_[thread / 32].known[thread % 32][earlier.thread % 32] >= earlier.clock)
    return true;
  const ThreadOrder& first = threads_[earlier.thread];
  const ThreadOrder& second = threads_[static_cast<std::size_t>(thread)];
  return (first.arrived > earlier.stamp && second.joined > earlier.stamp) ||
         (first.released > earlier.stamp && second.acquired_within > earlier.stamp);
}

bool BlockOrder::ordered_across(const Access& earlier, int thread) const {
  const ThreadOrder& self = threads_[static_cast<std::size_t>(thread)];
  if (cluster_ && self.joined > earlier.stamp && cluster_->has_arrived_since(earlier, block_)) return true;
  if (self.acquired <= earlier.stamp) return false;
  const auto released = launch_->releases_.find(earlier.block);
  if (released == launch_->releases_.end()) return false;
  const LaunchOrder::Release& release = released->second;
  return release.fence > earlier.stamp && (release.epoch > earlier.epoch || release.threads[earlier.thread]);
}

void BlockOrder::barrier() {
  epoch_ = launch_->next_epoch();
  std::uint32_t fenced = 0, acquired = 0;
  for (const ThreadOrder& thread : threads_) raise(fenced, thread.fenced), raise(acquired, thread.acquired);
  for (ThreadOrder& thread : threads_)
    thread.fenced = fenced, thread.acquired = acquired, thread.grid_waited = grid_waited_;
}

void BlockOrder::cluster_arrive(int thread) {
  if (cluster_) cluster_->arrive(block_, thread, launch_->next_stamp());
}

void BlockOrder::arrive(int thread) {
  threads_[static_cast<std::size_t>(thread)].arrived = launch_->next_stamp();
}

void BlockOrder::arrive_at(const BlockOrder& other, int thread) {
  if (other.block_ == block_) return arrive(thread);
  if (cluster_) cluster_->arrive_at_mbarrier(block_, thread, other.block_, launch_->next_stamp());
}

void BlockOrder::join(int thread) {
  ThreadOrder& self = threads_[static_cast<std::size_t>(thread)];
  self.joined = launch_->next_stamp();
  self.grid_waited = grid_waited_;  // whoever waited may be among those that arrived: errs towards "ordered"
}

void BlockOrder::collective(int warp, std::uint32_t lanes) {
  auto& known = warps_[static_cast<std::size_t>(warp)].known;
  warps_[static_cast<std::size_t>(warp)].last_collective = epoch_;
  std::array<std::uint32_t, 32> joined{};
  ThreadOrder common;
  for_each_lane_of(lanes, [&](int lane) {
    for (int of = 0; of < 32; ++of) raise(joined[of], known[lane][of]);
    const ThreadOrder& thread = threads_[static_cast<std::size_t>(warp * 32 + lane)];
    raise(common.fenced, thread.fenced);
    raise(common.acquired, thread.acquired);
    raise(common.acquired_within, thread.acquired_within);
    common.grid_waited |= thread.grid_waited;
  });
  for_each_lane_of(lanes, [&](int lane) {
    known[lane] = joined;
    ++known[lane][lane];
    ThreadOrder& thread = threads_[static_cast<std::size_t>(warp * 32 + lane)];
    thread.fenced = common.fenced;
    thread.acquired = common.acquired;
    thread.acquired_within = common.acquired_within;
    thread.grid_waited = common.grid_waited;
  });
}

void BlockOrder::fence(int thread) {
  threads_[static_cast<std::size_t>(thread)].fenced = launch_->next_stamp();
}

void BlockOrder::grid_wait(int thread) {
  threads_[static_cast<std::size_t>(thread)].grid_waited = grid_waited_ = true;
  launch_->waited();
}

void BlockOrder::proxy_fence(int thread) {
  threads_[static_cast<std::size_t>(thread)].proxy_fenced = launch_->next_stamp();
}

bool BlockOrder::seen_by_async_proxy(const Access& written, int thread) const {
  return written.async || written.block != block_ || threads_[written.thread].proxy_fenced > written.stamp ||
         threads_[static_cast<std::size_t>(thread)].proxy_fenced > written.stamp;
}

void BlockOrder::atomic(int thread, std::uintptr_t address, bool writes) {
  const auto location = launch_->locations_.find(address);
  if (location != launch_->locations_.end()) acquire(thread, location->second);
  if (writes && threads_[static_cast<std::size_t>(thread)].fenced)
    release(thread, location != launch_->locations_.end() ? location->second : launch_->locations_[address]);
}

void BlockOrder::acquire(int thread, const LaunchOrder::Location& location) {
  ThreadOrder& self = threads_[static_cast<std::size_t>(thread)];
  for (int i = 0; i < 2; ++i) {
    if (location.stamp[i] == 0) continue;
    if (location.block[i] != block_) raise(self.acquired, location.stamp[i]);
    else if (i == 0 && location.thread != static_cast<std::uint32_t>(thread))
      raise(self.acquired_within, location.stamp[i]);
  }
}

void BlockOrder::release(int thread, LaunchOrder::Location& location) {
  const std::uint32_t fenced = threads_[static_cast<std::size_t>(thread)].fenced;
  if (location.block[0] != block_) {
    location.block[1] = location.block[0];
    location.stamp[1] = location.stamp[0];
  }
  location.block[0] = block_;
  location.stamp[0] = launch_->next_stamp();
  location.thread = static_cast<std::uint32_t>(thread);

  // A lane whose warp has met since the last barrier speaks for its warp.
  const int warp = thread / 32, lanes = std::min<int>(32, static_cast<int>(threads_.size()) - warp * 32);
  const bool for_warp = warps_[static_cast<std::size_t>(warp)].last_collective == epoch_;
  LaunchOrder::Release& release = launch_->releases_[block_];
  raise(release.fence, fenced);
  raise(release.epoch, epoch_);
  for (int i = for_warp ? warp * 32 : thread, end = for_warp ? i + lanes : i + 1; i < end; ++i) {
    release.threads.set(static_cast<std::size_t>(i));
    raise(threads_[static_cast<std::size_t>(i)].released, fenced);
  }
}

}  // namespace harness::cpu
