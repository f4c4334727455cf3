#include "harness/device/cpu/execute/block.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <thread>

#include "harness/device/cpu/execute/indices.h"
#include "harness/device/cpu/execute/lineup.h"

namespace harness::cpu {
namespace {

int barrier_value(int result, unsigned positive, unsigned arrived) {
  switch (result) {
    case harness_cpu_count:
      return static_cast<int>(positive);
    case harness_cpu_and:
      return positive == arrived;
    case harness_cpu_or:
      return positive > 0;
    default:
      return 0;
  }
}

BlockRunner::Records records_of(std::uint32_t lanes, const WarpExchange& exchange) {
  BlockRunner::Records records{};
  for (std::uint32_t left = lanes; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    records[lane] = reinterpret_cast<void*>(exchange.values[lane]);
  }
  return records;
}

bool same(const Site& a, const Site& b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}

}  // namespace

void LaunchState::fail(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (fault_.empty()) fault_ = text;
  failed_ = true;
}

void BlockRunner::use(const Code& code) {
  entry_ = code.entry;
  shared_ = code.module->shared_memory();
}

void BlockRunner::count_as(std::uint64_t unit) {
  if (!counter_) return;
  counter_->begin(unit);
  use(launch_->counter->is_counted(unit) ? launch_->code : launch_->plain);
}

void BlockRunner::begin(LaunchState& launch, int worker) {
  launch_ = &launch;
  use(launch.code);
  const Module& module = *launch.code.module;
  if (launch.checker) checker_.emplace(*launch.checker, module, scheduler_, worker);
  if (launch.counter) counter_.emplace(*launch.counter, module, scheduler_, worker);
  const auto as_index = [](const Dim3& d) { return HarnessCpuIndex{d.x, d.y, d.z}; };
  harness_cpu_block_dim = as_index(launch.launch.block);
  harness_cpu_grid_dim = as_index(launch.launch.grid);
  scheduler_.shape(harness_cpu_block_dim);
}

void BlockRunner::end() {
  checker_.reset();
  counter_.reset();
  running_counter = nullptr;
}

unsigned BlockRunner::linear_block(const HarnessCpuIndex& block) const {
  const Dim3& grid = launch_->launch.grid;
  return block.x + grid.x * (block.y + grid.y * block.z);
}

void BlockRunner::stop(const char* kind) {
  report(kind, "stopped by the memory checker", {});
  abandon();
}

void BlockRunner::run(const HarnessCpuIndex& block, Cluster* cluster, unsigned rank) {
  const int threads = static_cast<int>(scheduler_.threads().size());
  for (int i = 0; i * 32 < threads; ++i) {
    const int lanes = std::min(32, threads - i * 32);
    warps_[i].absent = lanes == 32 ? 0 : ~0u << lanes;
    warps_[i].exited = 0;
    warps_[i].groups = 0;
    warps_[i].at_barrier = {};
  }
  barriers_.fill({});
  running_block = this;
  running_counter = counter_ ? &*counter_ : nullptr;
  block_ = harness_cpu_block_idx = block;
  cluster_ = cluster;
  rank_ = rank;
  const bool early = ((linear_block(block) + launch_->run) & 1u) != 0;
  mbarrier_waits_.clear();
  fruitless_tests_ = 0;
  async_.begin(early);
  copies_.begin(early);
  if (checker_) checker_->begin(block, cluster);
  scheduler_.run();
  run_what_is_woken();
  if (checker_) checker_->settle();
  if (counter_) counter_->end();
  if (!launch_->failed() && scheduler_.exited() < threads)
    launch_->fail("barrier_deadlock: " +
                  (cluster ? cluster->describe_lineups() : describe_lineup(scheduler_.threads(), block)));
  if (!launch_->failed() && async_.anything_left())
    launch_->fail(fmt::format("trap: block ({},{},{}) ended before its bulk stores or matrix products were waited for",
                              block.x, block.y, block.z));
}

void BlockRunner::run_thread(Thread& thread) {
  entry_->call(launch_->arguments);
  if (counter_) counter_->exited(thread);
  leave_warp(thread);
  leave_barriers(thread);
  leave_cluster(thread);
}

BlockRunner::Barrier& BlockRunner::enter_barrier(int id, unsigned threads, bool predicate, const Site& site) {
  if (id < 0 || id >= static_cast<int>(barriers_.size())) {
    report("trap", fmt::format("there is no barrier {}", id), site);
    abandon();
  }
  Barrier& barrier = barriers_[id];
  barrier.whole_block = threads == 0;
  ++barrier.arrived;
  barrier.positive += predicate;
  return barrier;
}

// Two warps may wait at different __syncthreads calls; the threads of one warp must agree on the call.
void BlockRunner::check_warp_agrees(const Site& site) {
  const Thread& self = scheduler_.current();
  Site& first = warps_[self.linear / 32].at_barrier;
  if (!first.file) first = site;
  if (same(first, site)) return;
  launch_->fail("barrier_deadlock: " + describe_divergence(scheduler_.threads(), block_, self, site));
  abandon();
}

int BlockRunner::barrier(int id, unsigned threads, int result, bool predicate, const Site& site) {
  const bool of_block = id == 0 && threads == 0;
  Barrier& barrier = enter_barrier(id, threads, predicate, site);
  barrier.result = result;
  Thread& self = scheduler_.current();
  if (of_block) check_warp_agrees(site);
  if (checker_ && !of_block) checker_->arrive(self);
  if (counter_) counter_->arrive(self);
  if (barrier.arrived < (threads == 0 ? living() : threads)) {
    barrier.waiting.push(self);
    scheduler_.wait(site, 0);
    return static_cast<int>(self.result);
  }
  const int value = barrier_value(result, barrier.positive, barrier.arrived);
  pass(barrier, self, site);
  return value;
}

void BlockRunner::barrier_arrive(int id, unsigned threads, const Site& site) {
  Barrier& barrier = enter_barrier(id, threads, false, site);
  if (checker_) checker_->arrive(scheduler_.current());
  if (barrier.arrived < (threads == 0 ? living() : threads)) return;
  if (checker_) barrier.waiting.for_each([&](const Thread& thread) { checker_->join(thread); });
  count_wait(barrier, nullptr);
  release(barrier, 0);
}

/// Those who wait, and `last` with them, have waited for the warp that had most to do.
void BlockRunner::count_wait(const Barrier& barrier, const Thread* last) {
  if (!counter_) return;
  std::uint32_t warps = last == nullptr ? 0 : 1u << last->linear / 32;
  barrier.waiting.for_each([&](const Thread& thread) { warps |= 1u << thread.linear / 32; });
  counter_->passed_barrier(warps);
  CopyWaits& copies = counter_->copies();
  std::int64_t latest = last == nullptr ? 0 : copies.time(last->linear);
  barrier.waiting.for_each([&](const Thread& thread) { latest = std::max(latest, copies.time(thread.linear)); });
  barrier.waiting.for_each([&](const Thread& thread) { copies.learn(thread.linear, latest); });
  if (last != nullptr) copies.learn(last->linear, latest);
}

unsigned BlockRunner::living() {
  return static_cast<unsigned>(scheduler_.threads().size()) - static_cast<unsigned>(scheduler_.exited());
}

/// Everybody whom the barrier waits for has come, `last` as the last one.
void BlockRunner::pass(Barrier& barrier, const Thread& last, const Site& site) {
  const bool of_block = barrier.whole_block && &barrier == &barriers_[0];
  if (checker_ && of_block) checker_->barrier(last, site);
  if (checker_ && !of_block) {
    if (last.state != ThreadState::waiting) checker_->join(last);
    barrier.waiting.for_each([&](const Thread& thread) { checker_->join(thread); });
  }
  count_wait(barrier, &last);
  release(barrier, barrier_value(barrier.result, barrier.positive, barrier.arrived));
  if (of_block)
    for (Warp& warp : warps_) warp.at_barrier = {};
}

// Those who wait for the whole block wait no longer for this thread.
void BlockRunner::leave_barriers(const Thread& thread) {
  const unsigned others = living() - 1;
  for (Barrier& barrier : barriers_) {
    if (!barrier.whole_block || barrier.waiting.empty() || barrier.arrived < others) continue;
    const Thread* last = &thread;
    barrier.waiting.for_each([&](const Thread& thread) { last = &thread; });
    pass(barrier, *last, last->site);
  }
}

void BlockRunner::release(Barrier& barrier, int result) {
  while (!barrier.waiting.empty()) {
    Thread& thread = barrier.waiting.pop();
    thread.result = static_cast<std::uint64_t>(result);
    scheduler_.wake(thread);
  }
  barrier = {};
}

std::uint64_t BlockRunner::collective(int operation, std::uint32_t mask, std::uint64_t value, unsigned source,
                                      const Site& site) {
  return meet(operation, nullptr, mask, value, source, site);
}

void BlockRunner::together(std::uint32_t mask, void* record, TogetherBody body, const Site& site) {
  meet(harness_cpu_warp_sync, body, mask, reinterpret_cast<std::uintptr_t>(record), 0, site);
}

void BlockRunner::refuse_lane(std::uint32_t mask, const Site& site) {
  report("trap",
         fmt::format("lane {} calls {} with mask {:#010x}, which does not name it", scheduler_.current().linear % 32,
                     site.name, mask),
         site);
  abandon();
}

// A thread that waits here leaves this frame on its own stack, cold for when it goes on: it is kept small.
std::uint64_t BlockRunner::meet(int operation, TogetherBody body, std::uint32_t mask, std::uint64_t value,
                                unsigned source, const Site& site) {
  Thread& self = scheduler_.current();
  Warp& warp = warps_[self.linear / 32];
  const int lane = self.linear % 32;
  if (!(mask >> lane & 1)) refuse_lane(mask, site);
  int index = 0;
  const auto other_instruction = [&](const Group& group) {
    return group.mask != mask || group.operation != operation || group.body != body;
  };
  while (index < warp.groups && other_instruction(warp.group[index])) ++index;
  if (index == warp.groups) warp.group[warp.groups++] = {operation, mask, 0, body, site};
  Group& group = warp.group[index];
  group.arrived |= 1u << lane;
  warp.exchange.values[lane] = value;
  warp.exchange.sources[lane] = static_cast<std::uint8_t>(source);
  if (complete(warp, group)) finish(warp, index);
  else scheduler_.wait(site, mask);
  return self.result;
}

bool BlockRunner::complete(const Warp& warp, const Group& group) const {
  return (group.mask & ~group.arrived & ~warp.absent & ~warp.exited) == 0;
}

// What such a lane gets is undefined. It may have no use for it, so this alone is no fault.
void BlockRunner::tell_absent_sources(const Group& group, const WarpExchange& exchange, int warp) {
  if (group.operation != harness_cpu_warp_shuffle || group.body) return;
  for (std::uint32_t left = group.arrived; left; left &= left - 1) {
    const int lane = std::countr_zero(left);
    if (group.arrived >> exchange.sources[lane] & 1) continue;
    return checker_->absent_source(warp * 32 + lane, exchange.sources[lane], group.site);
  }
}

void BlockRunner::finish(Warp& warp, int index) {
  const Group group = warp.group[index];
  warp.group[index] = warp.group[--warp.groups];
  if (group.body) group.body(records_of(group.arrived, warp.exchange));
  const auto results = evaluate(group.operation, group.arrived, warp.exchange);
  if (checker_) {
    const int number = static_cast<int>(&warp - warps_.data());
    tell_absent_sources(group, warp.exchange, number);
    checker_->collective(number, group.arrived);
  }
  if (counter_) counter_->met(static_cast<std::size_t>(&warp - warps_.data()), group.arrived);
  Thread* const lanes = &scheduler_.threads()[(&warp - warps_.data()) * 32];
  for (std::uint32_t left = group.arrived; left; left &= left - 1) {
    Thread& thread = lanes[std::countr_zero(left)];
    thread.result = results[std::countr_zero(left)];
    if (thread.state == ThreadState::waiting) scheduler_.wake(thread);
  }
}

void BlockRunner::leave_warp(const Thread& thread) {
  Warp& warp = warps_[thread.linear / 32];
  warp.exited |= 1u << thread.linear % 32;
  for (int i = warp.groups; i-- > 0;)
    if (complete(warp, warp.group[i])) finish(warp, i);
}

void BlockRunner::yield() {
  if (cluster_ && cluster_->shape().blocks() > 1) cluster_->pass(rank_);
  else if (checker_) checker_->pass();
  else if (counter_) counter_->pass();
  if (launch_->failed()) abandon();
  // Whom this thread waits for runs on another host thread.
  if (!scheduler_.yield()) std::this_thread::yield();
}

void BlockRunner::report(const char* kind, const std::string& what, const Site& site) {
  const HarnessCpuIndex& t = scheduler_.current().index;
  const std::string where = site.file ? fmt::format("{}:{}: ", site.file, site.line) : "";
  launch_->fail(fmt::format("{}: {}block ({},{},{}), thread ({},{},{}): {}", kind, where, block_.x, block_.y, block_.z,
                            t.x, t.y, t.z, what));
}

}  // namespace harness::cpu
