#include "harness/device/cpu/count/counter.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace harness::cpu {
namespace {

// What an H100 or H200 has, for the L1 that blocks share. Source: NVIDIA H100 Tensor Core GPU Architecture, 2022.
constexpr std::int64_t kL1AndShared = 256 * 1024, kReservedShared = 1024, kMostShared = 228 * 1024;
constexpr std::int64_t kMostThreads = 2048, kMostBlocks = 32;

std::int64_t volume(const Dim3& d) {
  return std::int64_t{d.x} * d.y * d.z;
}

/// Of the blocks that a multiprocessor holds at once, with no regard to registers, each has an equal part of the L1.
std::int64_t l1_of_a_block(const Launch& launch, std::int64_t static_shared) {
  const std::int64_t shared = launch.shared + static_shared + kReservedShared;
  const std::int64_t blocks = std::max<std::int64_t>(
      1, std::min({kMostBlocks, kMostThreads / std::max<std::int64_t>(1, volume(launch.block)), kMostShared / shared}));
  return std::max<std::int64_t>(0, (kL1AndShared - blocks * shared) / blocks);
}

/// Of what makes no request of memory: the number that it adds to.
std::optional<Count> counted_alone(EventKind kind) {
  switch (kind) {
    case EventKind::barrier:
      return Count::barriers;
    case EventKind::cluster_barrier:
      return Count::cluster_barriers;
    case EventKind::tensor:
      return Count::tensor_instructions;
    case EventKind::copy_wait:
      return Count::copy_waits;
    case EventKind::shuffle:
      return Count::shuffles;
    default:
      return std::nullopt;
  }
}

Touched::Access access_of(EventKind kind) {
  return kind == EventKind::store ? Touched::store : kind == EventKind::atomic ? Touched::add : Touched::load;
}

bool is_store(int kind) {
  return kind == harness_cpu_write || kind == harness_cpu_volatile_write;
}

}  // namespace

Counter::Counter(const Executable& executable, std::span<std::byte> image, const Module& module)
    : request_(*executable.counting),
      image_(reinterpret_cast<std::uintptr_t>(image.data())),
      image_bytes_(image.size()),
      module_(module.memory()),
      buffers_(executable.layout.buffers),
      sectors_(image.size() / kSectorBytes + 1) {
  for (std::size_t i = 0; i < executable.plan.steps.size(); ++i)
    if (std::holds_alternative<Launch>(executable.plan.steps[i])) last_launch_ = i;
  for (const ConstantTable& each : executable.plan.constants) constants_.push_back(module.constant(each.symbol));
}

bool Counter::is_constant(std::uintptr_t address) const {
  return std::ranges::any_of(constants_, [&](std::span<const std::byte> each) {
    return address - reinterpret_cast<std::uintptr_t>(each.data()) < each.size();
  });
}

void Counter::begin_launch(const Launch& launch, std::size_t step, std::uint64_t units, int blocks_each, int workers) {
  units_ = units;
  runs_all_ = request_.run_all || step < last_launch_;
  sample_ = sample_blocks(units, std::max(1, request_.blocks / blocks_each));
  launch_ = {};
  launch_.step = static_cast<std::int64_t>(step);
  launch_.blocks = volume(launch.grid);
  launch_.counted_blocks = static_cast<std::int64_t>(sample_.numbers.size()) * blocks_each;
  std::int64_t fixed = 0;
  for (const SharedVariable& variable : module_.shared) fixed += static_cast<std::int64_t>(variable.bytes);
  l1_bytes_ = l1_of_a_block(launch, fixed);
  sectors_.clear();
  touched_.assign(buffers_.size(), {});
  roles_ = {};
  atomics_ = {};
  turns_.reset();
  if (in_turns() || launch.cooperative) turns_.emplace(workers);
}

void Counter::add(const BlockCounter& counted) {
  const std::lock_guard lock(mutex_);
  roles_.add(counted.roles_);
  atomics_.add(counted.atomics_);
  launch_.work += counted.work_;
  launch_.heaviest = std::max(launch_.heaviest, counted.heaviest_);
  for (const CountedEvent& event : counted.events_) {
    const auto same = std::ranges::find(launch_.places, event.site, &CountedPlace::site);
    if (same != launch_.places.end()) same->counts += event.counts;
    else launch_.places.push_back({event.site, event.counts});
  }
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    touched_[i].by_block += counted.touched_.buffers()[i].by_block;
    touched_[i].together += counted.touched_.buffers()[i].together;
  }
  launch_.blocks_meet = launch_.blocks_meet || counted.blocks_meet_ || counted.touched_.blocks_meet();
  launch_.atomics = launch_.atomics || counted.atomics_used_;
}

void Counter::end_launch() {
  std::ranges::sort(launch_.places, {}, &CountedPlace::site);
  launch_.roles = roles_.take();
  launch_.hottest = atomics_.hottest();
  for (std::size_t i = 0; i < touched_.size(); ++i)
    if (touched_[i].by_block.touched > 0)
      launch_.buffers.push_back({static_cast<std::int64_t>(i), touched_[i].by_block, touched_[i].together});
  launches_.push_back(std::move(launch_));
}

std::int64_t Counter::weight(std::uint64_t unit) const {
  const auto found = std::ranges::lower_bound(sample_.numbers, unit);
  if (found == sample_.numbers.end() || *found != unit) return 0;
  return sample_.weights[static_cast<std::size_t>(found - sample_.numbers.begin())];
}

BlockCounter::BlockCounter(Counter& counter, const Module& module, Scheduler& scheduler, int worker)
    : counter_(counter),
      memory_(module.shared_memory()),
      scheduler_(scheduler),
      worker_(worker),
      touched_(counter.sectors_, counter.buffers_) {}

BlockCounter::~BlockCounter() {
  counter_.add(*this);
}

void BlockCounter::pass() {
  if (Turns* const turns = counter_.turns()) turns->pass(worker_);
}

void BlockCounter::begin(std::int64_t weight) {
  weight_ = weight;
  skipped_ = weight == 0 ? ~(1u << harness_cpu_volatile_read) : 0;
  if (!counter_.in_turns()) skipped_ &= ~(1u << harness_cpu_atomic_write);
  copies_.begin(scheduler_.threads().size());
  if (weight == 0) return;
  const auto threads = static_cast<int>(scheduler_.threads().size());
  for (int i = 0; i * 32 < threads; ++i) {
    const int lanes = std::min(32, threads - i * 32);
    warps_[static_cast<std::size_t>(i)].lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps_[static_cast<std::size_t>(i)].here = 0;
    warps_[static_cast<std::size_t>(i)].work = 0;
  }
  touched_.begin(weight);
  l1_.begin(counter_.l1_bytes_);
}

void BlockCounter::end() {
  if (weight_ == 0) return;
  const std::size_t warps = (scheduler_.threads().size() + 31) / 32;
  for (std::size_t i = 0; i < warps; ++i) {
    flush(warps_[i]);
    end_role(warps_[i]);
  }
  std::int64_t work = 0;
  for (std::size_t i = 0; i < block_.size(); ++i) {
    events_[i].counts.add(block_[i], weight_);
    work += work_of(block_[i]);
    block_[i] = {};
  }
  work_ += weight_ * work;
  heaviest_ = std::max(heaviest_, work);
  atomics_.end_block(weight_);
  weight_ = 0;
}

void BlockCounter::end_role(Warp& warp) {
  Roles::Requests requests;
  for (std::size_t i = 0; i < warp.requests.size(); ++i)
    if (warp.requests[i] > 0) requests.emplace_back(events_[i].site, std::exchange(warp.requests[i], 0));
  std::ranges::sort(requests);
  for (std::size_t i = 1; i < requests.size(); ++i)  // one place may load and store
    if (requests[i].first == requests[i - 1].first) requests[i].second += std::exchange(requests[i - 1].second, 0);
  std::erase_if(requests, [](const auto& each) { return each.second == 0; });
  roles_.add(requests, weight_);
}

std::size_t BlockCounter::find_place(std::uint64_t key) {
  const auto [found, fresh] = index_.try_emplace(key, events_.size());
  if (fresh) events_.push_back({key >> kKindBits, static_cast<EventKind>(key & ((1u << kKindBits) - 1)), {}});
  return found->second;
}

inline std::size_t BlockCounter::place_of(EventKind kind, const void* from) {
  // One back from the return address lies within the call.
  const std::uint64_t site = reinterpret_cast<std::uintptr_t>(from) - counter_.module_.base - 1;
  const std::uint64_t key = site << kKindBits | static_cast<std::uint64_t>(kind);
  Recent& recent = recent_[(key ^ key >> 6 ^ key >> 12) % recent_.size()];
  if (recent.key != key) recent = {key, find_place(key)};
  return recent.place;
}

inline void BlockCounter::note(EventKind kind, std::uintptr_t address, std::size_t bytes, const void* from) {
  const auto linear = static_cast<std::uint32_t>(scheduler_.current().linear);
  const std::size_t place = place_of(kind, from);
  WarpLog& log = warps_[linear / 32].log;
  constexpr std::size_t kWidest = 16;  // bytes of one access of a lane
  if (bytes <= kWidest) [[likely]] {
    if (!log.note(place, linear % 32, address, static_cast<std::uint32_t>(bytes))) touch(kind, address, bytes);
    return;
  }
  do {
    const std::size_t part = std::min(bytes, kWidest);
    if (!log.note(place, linear % 32, address, static_cast<std::uint32_t>(part))) touch(kind, address, part);
    address += part;
    bytes -= part;
  } while (bytes > 0);
}

/// Of an access that is not kept: at least what it touches is known.
void BlockCounter::touch(EventKind kind, std::uintptr_t address, std::size_t bytes) {
  if (kind != EventKind::load && kind != EventKind::store && kind != EventKind::atomic) return;
  const std::uint64_t first = address / kSectorBytes, last = (address + bytes - 1) / kSectorBytes;
  for (std::uint64_t sector = first; sector <= last; ++sector) touched_.touch(sector, access_of(kind));
}

void BlockCounter::access(std::uintptr_t address, std::size_t bytes, int kind, const void* from) {
  const std::uintptr_t offset = address - counter_.image_;
  const auto shared = address - reinterpret_cast<std::uintptr_t>(memory_.begin);
  const bool atomic = kind == harness_cpu_atomic_write, global = offset < counter_.image_bytes_;
  if (global) {
    atomics_used_ = atomics_used_ || atomic;
    blocks_meet_ = blocks_meet_ || kind == harness_cpu_volatile_read;
  }
  if (weight_ == 0 || bytes == 0 || kind == harness_cpu_atomic_read) return;
  if (shared < static_cast<std::uintptr_t>(memory_.end - memory_.begin)) {
    if (counter_.module_.is_guard(shared)) return;
    // Places relative to the variables: where they lie in this process says nothing.
    note(atomic                            ? EventKind::shared_atomic
         : kind == harness_cpu_async_write ? EventKind::shared_fill
         : is_store(kind)                  ? EventKind::shared_store
                                           : EventKind::shared_load,
         shared, bytes, from);
    return;
  }
  const bool variable =
      address - counter_.module_.writable_begin < counter_.module_.writable_end - counter_.module_.writable_begin;
  if (!global && (!variable || scheduler_.on_current_stack(address) || counter_.is_constant(address))) return;
  // Behind the image, so that the two do not meet in the cache.
  const std::uintptr_t at = global ? offset : (1ull << 40) + address - counter_.module_.writable_begin;
  note(atomic ? EventKind::atomic : is_store(kind) ? EventKind::store : EventKind::load, at, bytes, from);
}

void BlockCounter::bulk(std::uintptr_t address, std::size_t bytes, bool store, const void* from) {
  const std::uintptr_t offset = address - counter_.image_;
  if (weight_ == 0 || bytes == 0 || offset >= counter_.image_bytes_) return;
  const std::size_t place = place_of(EventKind::bulk, from);
  if (place >= block_.size()) block_.resize(place + 1);
  const std::uint64_t first = offset / kSectorBytes, last = (offset + bytes - 1) / kSectorBytes;
  block_[place][Count::bulk_sectors] += static_cast<std::int64_t>(last - first + 1);
  for (std::uint64_t sector = first; sector <= last; ++sector)
    touched_.touch(sector, store ? Touched::store : Touched::load);
}

void BlockCounter::event(EventKind kind, const void* from) {
  if (weight_ != 0) note(kind, 0, 1, from);
}

void BlockCounter::multiply(int passes, const void* from) {
  if (weight_ != 0) note(EventKind::tensor, static_cast<std::uintptr_t>(passes), 1, from);
}

void BlockCounter::passed(const void* mbarrier, const void* from) {
  if (copies_.pass(scheduler_.current().linear, mbarrier)) event(EventKind::copy_wait, from);
}

void BlockCounter::waited(int groups, const void* from) {
  if (copies_.wait(scheduler_.current().linear, groups)) event(EventKind::copy_wait, from);
}

void BlockCounter::arrive(const Thread& thread) {
  if (weight_ == 0) return;
  Warp& warp = warps_[static_cast<std::size_t>(thread.linear / 32)];
  const std::uint32_t lane = 1u << thread.linear % 32;
  warp.here |= lane;
  if ((warp.lanes & ~warp.here) == 0) flush(warp);
}

void BlockCounter::exited(const Thread& thread) {
  if (weight_ == 0) return;
  Warp& warp = warps_[static_cast<std::size_t>(thread.linear / 32)];
  warp.lanes &= ~(1u << thread.linear % 32);
  if ((warp.lanes & ~warp.here) == 0) flush(warp);
}

void BlockCounter::passed_barrier(std::uint32_t warps) {
  if (weight_ == 0) return;
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < warps_.size(); ++i)
    if ((warps >> i & 1) != 0) longest = std::max(longest, warps_[i].work);
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    if ((warps >> i & 1) == 0 || warps_[i].barrier >= block_.size()) continue;  // only some of its lanes have come
    Counts& counts = block_[warps_[i].barrier];
    counts[Count::barrier_work] += std::exchange(warps_[i].work, 0);
    counts[Count::barrier_longest] += longest;
  }
}

void BlockCounter::met(std::size_t warp, std::uint32_t lanes) {
  if (weight_ != 0 && (warps_[warp].lanes & ~lanes) == 0) flush(warps_[warp]);
}

void BlockCounter::flush(Warp& warp) {
  warp.here = 0;
  segment_.resize(std::max(segment_.size(), events_.size()));
  block_.resize(std::max(block_.size(), events_.size()));
  warp.requests.resize(std::max(warp.requests.size(), events_.size()));
  warp.log.flush([&](std::size_t place, const Request& request) { count(place, request); },
                 [&](std::size_t place, std::uint32_t kept, std::uint32_t all, bool uneven) {
                   Counts& counts = segment_[place];
                   if (uneven) counts[Count::uneven_requests] += kept;
                   const Counts scaled = counts.scaled(all, kept);
                   block_[place] += scaled;
                   warp.requests[place] += all;
                   warp.work += work_of(scaled);
                   if (events_[place].kind == EventKind::barrier) warp.barrier = place;
                   counts = {};
                 });
}

void BlockCounter::count(std::size_t place, const Request& request) {
  Counts& counts = segment_[place];
  const EventKind kind = events_[place].kind;
  if (const auto what = counted_alone(kind)) {
    ++counts[*what];
    if (kind == EventKind::tensor)
      counts[Count::shared_wavefronts] +=
          static_cast<std::int64_t>(request.address[static_cast<std::size_t>(std::countr_zero(request.lanes))]);
    return;
  }
  ++counts[Count::memory_requests];
  counts[Count::memory_lanes] += std::popcount(request.lanes);
  if (kind == EventKind::shared_fill) {  // the bytes come later, past the pipe: a GPU's counters see one pass
    ++counts[Count::shared_requests];
    ++counts[Count::shared_wavefronts];
    return;
  }
  if (kind == EventKind::shared_load || kind == EventKind::shared_store || kind == EventKind::shared_atomic) {
    SharedPasses passes = shared_passes(request);
    if (kind == EventKind::shared_atomic) passes.all = std::max(passes.all, atomic_turns(request));
    ++counts[Count::shared_requests];
    counts[Count::shared_wavefronts] += passes.all;
    counts[Count::shared_conflicts] += passes.all - passes.least;
    return;
  }
  count_global(place, request, counts);
}

void BlockCounter::count_atomic(std::size_t place, const Request& request, Counts& counts) {
  counts[Count::atomics] += std::popcount(request.lanes);
  ++counts[Count::atomic_requests];
  counts[Count::atomic_turns] += atomic_turns(request);
  atomics_.add(request, events_[place].site);
}

void BlockCounter::count_global(std::size_t place, const Request& request, Counts& counts) {
  const EventKind kind = events_[place].kind;
  const FewNumbers sectors = sectors_of(request);
  for (const std::uint64_t sector : sectors) touched_.touch(sector, access_of(kind));
  if (kind == EventKind::atomic) return count_atomic(place, request, counts);
  const std::int64_t bytes = different_bytes(request);
  counts[Count::bytes] += bytes;
  counts[Count::least_sectors] +=
      (bytes + static_cast<std::int64_t>(kSectorBytes) - 1) / static_cast<std::int64_t>(kSectorBytes);
  if (kind == EventKind::store) {
    ++counts[Count::store_requests];
    counts[Count::store_sectors] += sectors.size();
    counts[Count::store_width] += request.bytes;
    return;
  }
  ++counts[Count::load_requests];
  counts[Count::load_sectors] += sectors.size();
  counts[Count::load_width] += request.bytes;
  for (const std::uint64_t sector : sectors) counts[Count::load_missed] += !l1_.load(sector);
}

}  // namespace harness::cpu
