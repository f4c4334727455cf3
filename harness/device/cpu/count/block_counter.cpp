#include "harness/device/cpu/count/block_counter.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace harness::cpu {
namespace {

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

/// Of events: those that the lanes brought instead of an address.
std::int64_t sum_of_values(const Train& train) {
  const auto first =
      static_cast<std::int64_t>(train.request.address[static_cast<std::size_t>(std::countr_zero(train.request.lanes))]);
  const auto step = static_cast<std::int64_t>(train.step), count = static_cast<std::int64_t>(train.count);
  return count * first + step * (count * (count - 1) / 2);
}

struct TrainPasses {
  std::int64_t all = 0, least = 0;
};

/// Whole words further the same lanes meet in other banks.
TrainPasses passes_of_train(Train train, bool atomic) {
  const std::uint64_t different = train.step % 4 == 0 ? 1 : train.step % 2 == 0 ? 2 : 4;
  TrainPasses sum;
  for (std::uint64_t i = 0; i < std::min(different, train.count); ++i) {
    const std::int64_t alike = static_cast<std::int64_t>((train.count - i + different - 1) / different);
    SharedPasses passes = shared_passes(train.request);
    if (atomic) passes.all = std::max(passes.all, atomic_turns(train.request));
    sum.all += alike * passes.all;
    sum.least += alike * passes.least;
    train.move(1);
  }
  return sum;
}

/// Sectors of its requests, each for itself. What moves on by whole sectors touches as many.
std::int64_t sectors_of_train(Train train) {
  const std::uint64_t different = kSectorBytes / std::gcd(train.step, kSectorBytes);
  std::int64_t sum = 0;
  for (std::uint64_t i = 0; i < std::min(different, train.count); ++i) {
    const auto alike = static_cast<std::int64_t>((train.count - i + different - 1) / different);
    sum += alike * sectors_of(train.request).size();
    train.move(1);
  }
  return sum;
}

}  // namespace

BlockCounter::BlockCounter(Counter& counter, const Module& module, Scheduler& scheduler, int worker)
    : counter_(counter),
      memory_(module.shared_memory()),
      scheduler_(scheduler),
      worker_(worker),
      touched_(counter.sectors_, counter.buffers_),
      rounds_(touched_, atomics_, l1_) {}

BlockCounter::~BlockCounter() {
  counter_.add(take(), unit_);
}

Tally BlockCounter::take() {
  Tally tally;
  for (CountedEvent& event : events_) tally.places.push_back({event.site, std::exchange(event.counts, {})});
  tally.roles = std::exchange(roles_, {});
  tally.atomics = std::exchange(atomics_, {});
  tally.buffers = touched_.take_buffers();
  tally.work = std::exchange(work_, 0);
  tally.heaviest = std::exchange(heaviest_, 0);
  tally.blocks_meet = blocks_meet_ || touched_.blocks_meet();
  tally.atomics_used = atomics_used_;
  return tally;
}

void BlockCounter::pass() {
  if (Turns* const turns = counter_.turns()) turns->pass(worker_);
}

void BlockCounter::begin(std::uint64_t unit) {
  unit_ = unit;
  weight_ = counter_.weight_now(unit);
  skipped_ = weight_ == 0 ? ~(1u << harness_cpu_volatile_read) : 0;
  if (!counter_.in_turns()) skipped_ &= ~(1u << harness_cpu_atomic_write);
  copies_.begin(scheduler_.threads().size());
  if (weight_ == 0) return;
  const auto threads = static_cast<int>(scheduler_.threads().size());
  for (int i = 0; i * 32 < threads; ++i) {
    const int lanes = std::min(32, threads - i * 32);
    warps_[static_cast<std::size_t>(i)].lanes = lanes == 32 ? ~0u : (1u << lanes) - 1;
    warps_[static_cast<std::size_t>(i)].here = 0;
    warps_[static_cast<std::size_t>(i)].work = 0;
  }
  touched_.begin(weight_);
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
  if (counter_.is_deferred()) counter_.add(take(), unit_);
}

void BlockCounter::end_role(Warp& warp) {
  Roles::Requests requests;
  for (std::size_t i = 0; i < warp.requests.size(); ++i)
    if (warp.requests[i] > 0) requests.emplace_back(events_[i].site, std::exchange(warp.requests[i], 0));
  std::ranges::sort(requests);
  for (std::size_t i = 1; i < requests.size(); ++i)  // one place may load and store
    if (requests[i].first == requests[i - 1].first) requests[i].second += std::exchange(requests[i - 1].second, 0);
  std::erase_if(requests, [](const auto& request) { return request.second == 0; });
  roles_.add(requests, weight_);
}

std::size_t BlockCounter::place_of(EventKind kind, const void* from) {
  // One back from the return address lies within the call.
  const std::uint64_t site = reinterpret_cast<std::uintptr_t>(from) - counter_.module_.base - 1;
  const auto [entry, fresh] = index_.try_emplace(site << kKindBits | static_cast<std::uint64_t>(kind), events_.size());
  if (fresh) events_.push_back({site, kind, {}});
  return entry->second;
}

/// Between the guards of shared memory, if it has some.
BlockCounter::Region BlockCounter::shared_region(std::uintptr_t address, int kind) const {
  const auto start = reinterpret_cast<std::uintptr_t>(memory_.begin);
  std::uintptr_t begin = start, end = reinterpret_cast<std::uintptr_t>(memory_.end);
  for (const SharedVariable& guard : counter_.module_.guards) {
    const std::uintptr_t first = start + guard.offset;
    if (address - first < guard.bytes) return {};
    if (first > address) end = std::min(end, first);
    else begin = std::max(begin, first + guard.bytes);
  }
  const EventKind what = kind == harness_cpu_atomic_write  ? EventKind::shared_atomic
                         : kind == harness_cpu_async_write ? EventKind::shared_fill
                         : is_store(kind)                  ? EventKind::shared_store
                                                           : EventKind::shared_load;
  // Places relative to the variables: where they lie in this process says nothing.
  return {begin, end - begin, start, what, true};
}

BlockCounter::Region BlockCounter::region_of(std::uintptr_t address, int kind) const {
  if (address - reinterpret_cast<std::uintptr_t>(memory_.begin) <
      static_cast<std::uintptr_t>(memory_.end - memory_.begin))
    return shared_region(address, kind);
  const EventKind what = kind == harness_cpu_atomic_write ? EventKind::atomic
                         : is_store(kind)                 ? EventKind::store
                                                          : EventKind::load;
  if (address - counter_.image_ < counter_.image_bytes_)
    return {counter_.image_, counter_.image_bytes_, counter_.image_, what, true};
  const ModuleMemory& module = counter_.module_;
  if (const auto constant = counter_.constant_at(address); !constant.empty()) {
    const auto begin = reinterpret_cast<std::uintptr_t>(constant.data());
    return {begin, constant.size(), begin, EventKind::constant, true};
  }
  // Behind the image, so that the two do not meet in the cache. Filled variables may lie anywhere between.
  if (address - module.writable_begin < module.writable_end - module.writable_begin)
    return {address, 1, module.writable_begin - (1ull << 40), what, true};
  if (address - module.begin < module.end - module.begin) return {address, 1, module.begin, EventKind::constant, true};
  // The blocks of a cluster lie one behind another, wherever they are in this process.
  constexpr std::uintptr_t kApart = 1 << 20;  // more than a block has
  for (std::size_t i = 0; i < counter_.shared_.size(); ++i) {
    const SharedMemory& memory = counter_.shared_[i];
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.begin);
    const auto size = static_cast<std::size_t>(memory.end - memory.begin);
    if (address - begin < size) return {begin, size, begin - i * kApart, EventKind::remote, true};
  }
  // What else there is, the kernel's arguments above all, lies there for every thread.
  if (!scheduler_.on_a_stack(address)) return {.begin = address, .size = 1};
  const std::span<const std::byte> stacks = scheduler_.stacks();
  return {.begin = reinterpret_cast<std::uintptr_t>(stacks.data()), .size = stacks.size()};
}

/// By the current thread, at the place of the cursor.
void BlockCounter::note(Cursor& last, std::uintptr_t address, std::size_t bytes) {
  const Thread& thread = scheduler_.current();
  const auto linear = static_cast<std::size_t>(thread.linear);
  WarpLog& log = warps_[linear / WarpLog::kLanes].log;
  if (last.log == nullptr || last.warp != linear / WarpLog::kLanes) {
    last.warp = linear / WarpLog::kLanes;
    last.log = &log.place(last.place);
  }
  const auto lane = static_cast<std::uint32_t>(linear % WarpLog::kLanes);
  last.thread = &thread;
  last.lane = &last.log->lanes[lane];
  do {
    const std::size_t part = std::min(bytes, kWidest);
    const Run rest = log.note(*last.log, lane, address, last.origin, static_cast<std::uint32_t>(part));
    if (rest.count > 0) touch(events_[last.place].kind, rest, 0);
    address += part;
    bytes -= part;
  } while (bytes > 0);
}

/// Of accesses that are not kept, from `begin` on: at least what they touch is known.
void BlockCounter::touch(EventKind kind, const Run& run, std::uint64_t begin) {
  if (begin >= run.count || (kind != EventKind::load && kind != EventKind::store && kind != EventKind::atomic)) return;
  const auto touch_all = [&](std::uint64_t first_byte, std::uint64_t last_byte) {
    for (std::uint64_t sector = first_byte / kSectorBytes; sector <= last_byte / kSectorBytes; ++sector)
      touched_.touch(sector, access_of(kind));
  };
  const auto step = static_cast<std::int64_t>(run.step);
  const std::uint64_t first = run.at(begin), last = run.at(run.count - 1);
  if (std::abs(step) <= static_cast<std::int64_t>(kSectorBytes))  // no sector between is left out
    return touch_all(std::min(first, last), std::max(first, last) + run.bytes - 1);
  for (std::uint64_t number = begin; number < run.count; ++number)
    touch_all(run.at(number), run.at(number) + run.bytes - 1);
}

void BlockCounter::access(std::uintptr_t address, std::size_t bytes, int kind, const void* from) {
  Cursor& last = cursor(from);
  const bool goes_on =
      last.from == from && last.bytes == bytes && last.kind == kind && address - last.begin < last.size;
  if (goes_on && weight_ != 0 && last.thread != nullptr) return note(last, address, bytes);
  const bool atomic = kind == harness_cpu_atomic_write;
  if (address - counter_.image_ < counter_.image_bytes_) {
    atomics_used_ = atomics_used_ || atomic;
    blocks_meet_ = blocks_meet_ || kind == harness_cpu_volatile_read;
  }
  if (weight_ == 0 || bytes == 0 || kind == harness_cpu_atomic_read) return;
  const Region region = region_of(address, kind);
  Cursor now{.origin = region.origin};
  // What yields, or is told in parts, is told each time.
  if (kind != harness_cpu_volatile_read && bytes <= kWidest)
    now.from = from, now.bytes = bytes, now.kind = kind, now.begin = region.begin, now.size = region.size;
  if (!region.counted) {
    last = now;
    return;
  }
  now.place = place_of(region.kind, from);
  note(now, address, bytes);
  last = now;
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

/// `value`: of all lanes that take part.
void BlockCounter::note_event(EventKind kind, std::uint64_t value, const void* from) {
  constexpr std::uint64_t kNowhere = 1ull << 60;  // an address that no access has
  Cursor& last = cursor(from);
  const int what = ~static_cast<int>(kind);  // no access has that
  if (last.from != from || last.kind != what)
    last = {.from = from, .kind = what, .origin = kNowhere, .place = place_of(kind, from)};
  note(last, kNowhere + value, 1);
}

void BlockCounter::event(EventKind kind, const void* from) {
  if (weight_ != 0) note_event(kind, 0, from);
}

void BlockCounter::multiply(int passes, const void* from) {
  if (weight_ != 0) note_event(EventKind::tensor, static_cast<std::uint64_t>(passes), from);
}

void BlockCounter::passed(const void* mbarrier, const void* from) {
  if (copies_.pass(scheduler_.current().linear, mbarrier)) event(EventKind::copy_wait, from);
}

void BlockCounter::waited(int groups, const void* from) {
  if (weight_ != 0 && scheduler_.current().linear % 32 == 0) {  // for its warp
    const std::size_t place = place_of(EventKind::copy_wait, from);
    if (place >= block_.size()) block_.resize(place + 1);
    ++block_[place][Count::group_waits];
  }
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
  const std::vector<WarpLog::PlaceLog*>& places = warp.log.touched();
  for (const WarpLog::PlaceLog* const place : places) {
    const CountedEvent& event = events_[place->number];
    if (event.kind == EventKind::load || event.kind == EventKind::store || event.kind == EventKind::atomic) {
      rounds_.add(*place, access_of(event.kind), event.site, segment_[place->number]);
      continue;
    }
    walk_.begin(*place);
    while (walk_.next(train_)) count(place->number, train_);
  }
  rounds_.run();
  for (const WarpLog::PlaceLog* const place : places) end_place(warp, *place);
  warp.log.clear();
}

/// Of what the lane did beyond what is kept, its last run and what ended in the middle: the rest was told by note().
void BlockCounter::touch_rest(EventKind kind, const WarpLog::Lane& lane) {
  std::uint64_t number = 0;
  for (const Run& run : lane.runs) {
    if (number + run.count > WarpLog::kKept) touch(kind, run, WarpLog::kKept - number);
    number += run.count;
  }
  touch(kind, lane.open_run(), std::max(number, WarpLog::kKept) - number);
}

/// All requests that were kept at the place are counted.
void BlockCounter::end_place(Warp& warp, const WarpLog::PlaceLog& place) {
  std::uint64_t all = 0, least = ~0ull;
  each_lane(place.seen, [&](std::size_t number_of_lane) {
    const WarpLog::Lane& lane = place.lanes[number_of_lane];
    all = std::max(all, lane.times());
    least = std::min(least, lane.times());
    if (lane.times() > WarpLog::kKept) touch_rest(events_[place.number].kind, lane);
  });
  const auto kept = static_cast<std::int64_t>(std::min(all, WarpLog::kKept));
  Counts& counts = segment_[place.number];
  if (all != least) counts[Count::uneven_requests] += kept;
  const Counts scaled = counts.scaled(static_cast<std::int64_t>(all), kept);
  block_[place.number] += scaled;
  warp.requests[place.number] += static_cast<std::int64_t>(all);
  warp.work += work_of(scaled);
  if (events_[place.number].kind == EventKind::barrier) warp.barrier = place.number;
  counts = {};
}

/// Of what is no global memory: the order does not matter.
void BlockCounter::count(std::size_t place, const Train& train) {
  Counts& counts = segment_[place];
  const EventKind kind = events_[place].kind;
  const auto requests = static_cast<std::int64_t>(train.count);
  if (const auto what = counted_alone(kind)) {
    counts[*what] += requests;
    if (kind == EventKind::tensor) counts[Count::shared_wavefronts] += sum_of_values(train);
    return;
  }
  if (kind == EventKind::constant) {
    counts[Count::constant_words] += requests * constant_words(train.request);
    return;
  }
  counts[Count::memory_requests] += requests;
  counts[Count::memory_lanes] += requests * std::popcount(train.request.lanes);
  if (kind == EventKind::remote) {
    counts[Count::remote_requests] += requests;
    counts[Count::remote_sectors] += sectors_of_train(train);
    return;
  }
  counts[Count::shared_requests] += requests;
  if (kind == EventKind::shared_fill) {
    counts[Count::shared_fills] += requests;
    return;
  }
  const TrainPasses passes = passes_of_train(train, kind == EventKind::shared_atomic);
  counts[Count::shared_wavefronts] += passes.all;
  counts[Count::shared_conflicts] += passes.all - passes.least;
}

}  // namespace harness::cpu
