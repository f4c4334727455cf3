#include "harness/device/cpu/check/checker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/device/cpu/check/wording.h"
#include "harness/device/cpu/execute/cluster.h"
#include "harness/device/cpu/execute/indices.h"

namespace harness::cpu {
namespace {

constexpr std::size_t kNullPage = 4096;

bool lies_in(std::uintptr_t address, const void* begin, std::size_t bytes) {
  return address - reinterpret_cast<std::uintptr_t>(begin) < bytes;
}

template <typename T>
bool lies_in(std::uintptr_t address, const T& variable) {
  return lies_in(address, &variable, sizeof variable);
}

/// What the runtime itself keeps in variables that candidates read (abi.h).
bool is_runtime_variable(std::uintptr_t address) {
  return lies_in(address, harness_cpu_passes) || lies_in(address, harness_cpu_thread_idx) ||
         lies_in(address, harness_cpu_block_idx) || lies_in(address, harness_cpu_block_dim) ||
         lies_in(address, harness_cpu_grid_dim);
}

}  // namespace

Checker::Checker(const Executable& executable, std::span<std::byte> image, const Module& module)
    : image_(executable, image),
      map_(executable, image),
      globals_(module.memory().writable_end - module.memory().writable_begin),
      module_(module.memory()) {}

void Checker::begin_launch(const Launch& launch, int workers, std::vector<std::span<const std::byte>> host) {
  launch_ = &launch;
  host_ = std::move(host);
  order_.begin(launch.pdl);
  turns_.emplace(workers);
}

std::vector<RawFinding> Checker::take_findings() {
  std::vector<RawFinding> findings = findings_.take();
  if (launch_ != nullptr && !saw_access_ && findings.empty()) findings.push_back({.kind = kNothingInstrumented});
  for (const ComparedSite& compared : comparisons_.take()) findings.push_back({.compared = compared});
  return findings;
}

BlockChecker::BlockChecker(Checker& checker, const Module& module, Scheduler& scheduler, int worker)
    : checker_(checker),
      memory_(module.shared_memory()),
      scheduler_(scheduler),
      worker_(worker),
      shared_(static_cast<std::size_t>(memory_.end - memory_.begin)) {}

void BlockChecker::enter(Cluster* cluster) {
  cluster_ = cluster;
  if (cluster) order_.enter(&cluster->order());
}

void BlockChecker::cluster_arrive(const Thread& thread) {
  settle();
  order_.cluster_arrive(thread.linear);
}

void BlockChecker::begin(const HarnessCpuIndex& block, Cluster* cluster) {
  const Dim3& grid = checker_.launch().grid;
  block_ = block.x + grid.x * (block.y + grid.y * block.z);
  order_.begin(checker_.order_, block_, static_cast<int>(scheduler_.threads().size()));
  enter(cluster);
  const auto fixed = static_cast<std::size_t>(memory_.dynamic - memory_.begin);
  const auto behind = fixed + memory_.room + HARNESS_CPU_SHARED_GUARD;
  const auto all = static_cast<std::size_t>(memory_.end - memory_.begin);
  shared_.clear_written(0, fixed + std::min(static_cast<std::size_t>(checker_.launch().shared), memory_.room));
  if (all > behind) shared_.clear_written(behind, all - behind);
}

bool BlockChecker::access(std::uintptr_t address, std::size_t bytes, int kind, const void* from) {
  settle();
  if (bytes == 0) return true;
  const bool on_image = checker_.image_.contains(address);
  const bool on_shared = lies_in(address, memory_.begin, static_cast<std::size_t>(memory_.end - memory_.begin));
  if ((on_image || on_shared) && !saw_access_) {
    saw_access_ = true;
    checker_.saw_access_.store(true, std::memory_order_relaxed);
  }
  const bool flag = kind == harness_cpu_volatile_read || kind == harness_cpu_volatile_write;
  const bool atomic = kind == harness_cpu_atomic_read || kind == harness_cpu_atomic_write;
  Event event{address, bytes, false, atomic || (flag && on_image && bytes <= 8), site_of(from)};
  event.is_volatile = flag;
  event.async = kind == harness_cpu_async_read || kind == harness_cpu_async_write;
  event.writes = kind == harness_cpu_write || kind == harness_cpu_volatile_write || kind == harness_cpu_atomic_write ||
                 kind == harness_cpu_async_write;
  if (on_image) return in_image(event);
  if (scheduler_.on_current_stack(address)) return true;
  if (on_shared) return in_shared(event);
  if (const auto allowed = cluster_ ? in_cluster(event) : std::nullopt) return *allowed;
  return elsewhere(event);
}

bool BlockChecker::in_image(const Event& event) {
  const ImageShadow& image = checker_.image_;
  const std::size_t offset = image.offset(event.address);
  const ImageShadow::Buffer* const buffer = image.at(offset);
  if (!buffer || offset - buffer->offset + event.bytes > buffer->bytes) {
    const ImageShadow::Buffer* const near = buffer ? buffer : image.nearest(event.address);
    const std::uint64_t space = near ? near->offset : 0;
    const auto first = static_cast<std::int64_t>(offset) - static_cast<std::int64_t>(space);
    if (!known(FindingKind::out_of_bounds, event, space))
      report(FindingKind::out_of_bounds, event, space,
             near ? fmt::format("{} {} {} @0: {} of '{}', which has {}", self(), verb(event.kind()),
                                count_bytes(event.bytes), byte_range(first, event.bytes), near->name, near->bytes)
                  : fmt::format("{} used memory @0 that belongs to no buffer", self()));
    return offset + event.bytes <= image.bytes();
  }
  if (checker_.observes()) {
    checker_.map_.note(offset, event.bytes, event.writes, event.atomic);
    return true;
  }
  if (!buffer->writable) {
    if (event.writes && !known(FindingKind::other, event, buffer->offset))
      report(FindingKind::other, event, buffer->offset,
             fmt::format("{} wrote {} @0: {} of '{}', which is an input", self(), count_bytes(event.bytes),
                         byte_range(static_cast<std::int64_t>(offset - buffer->offset), event.bytes), buffer->name));
    return true;
  }
  const AccessedPlace place{&image.shadow(),  offset,        order_.horizon(scheduler_.current().linear),
                            !buffer->defined, &buffer->name, offset - buffer->offset,
                            buffer->offset,   event.address};
  check_shadow(event, place);
  return true;
}

bool BlockChecker::in_shared(const Event& event) {
  return in_shared_of(*this, event);
}

std::optional<bool> BlockChecker::in_cluster(const Event& event) {
  const Cluster::Member* const member = cluster_->owner(event.address);
  if (!member) return std::nullopt;
  if (member->life == Cluster::Life::running) return in_shared_of(*member->checker, event);
  if (!known(FindingKind::other, event, 3))
    report(FindingKind::other, event, 3,
           fmt::format("{} {} {} @0 of the shared memory of block ({},{},{}) of its cluster, which has {}", self(),
                       verb(event.kind()), count_bytes(event.bytes), member->block.x, member->block.y, member->block.z,
                       member->life == Cluster::Life::ended ? "ended" : "not begun"));
  return true;
}

bool BlockChecker::in_shared_of(BlockChecker& owner, const Event& event) {
  const SharedMemory& memory = owner.memory_;
  const auto offset = static_cast<std::size_t>(event.address - reinterpret_cast<std::uintptr_t>(memory.begin));
  const auto dynamic = static_cast<std::size_t>(memory.dynamic - memory.begin);
  static const std::string kDynamic = "dynamic shared memory";
  const std::string* name = nullptr;
  std::size_t begin = 0, bytes = 0;
  if (!event.writes && checker_.module_.is_guard(offset)) return true;
  if (offset >= dynamic && offset < dynamic + memory.room + HARNESS_CPU_SHARED_GUARD) {
    name = &kDynamic;
    begin = dynamic;
    bytes = static_cast<std::size_t>(checker_.launch().shared);
  } else {
    for (const SharedVariable& variable : checker_.module_.shared)
      if (variable.offset <= offset) {
        name = &variable.name;
        begin = variable.offset;
        bytes = variable.bytes;
      }
  }
  if (!name) return true;  // a candidate without symbols
  if (offset - begin + event.bytes > bytes) {
    if (!known(FindingKind::out_of_bounds, event, begin))
      report(FindingKind::out_of_bounds, event, begin,
             fmt::format("{} {} {} @0: {} of {}, which has {}", self(), verb(event.kind()), count_bytes(event.bytes),
                         byte_range(static_cast<std::int64_t>(offset - begin), event.bytes), quoted(*name), bytes));
    return offset + event.bytes <= static_cast<std::size_t>(memory.end - memory.begin);
  }
  if (checker_.observes()) return true;
  // Every block has its own shared memory, whichever host thread lends it.
  const std::uintptr_t location = event.address ^ (static_cast<std::uintptr_t>(owner.block_) + 1) << 47;
  AccessedPlace place{&owner.shared_, offset, owner.order_.first_epoch(), true, name, offset - begin, begin, location};
  if (&owner == this) {
    check_shadow(event, place);
    return true;
  }
  const std::string remote = quoted(*name) + " of block " + block_name(owner.block_);
  place.name = &remote;
  check_shadow(event, place);
  return true;
}

bool BlockChecker::elsewhere(const Event& event) {
  const ModuleMemory& module = checker_.module_;
  if (event.address - module.writable_begin < module.writable_end - module.writable_begin) return in_globals(event);
  if (!event.writes && event.address - module.begin < module.end - module.begin) return true;
  if (is_runtime_variable(event.address)) return true;
  for (const auto& range : checker_.host_)
    if (!event.writes && lies_in(event.address, range.data(), range.size())) return true;
  for (const auto& range : checker_.heap_)
    if (lies_in(event.address, range.data(), range.size())) return true;
  const bool foreign_stack = scheduler_.on_a_stack(event.address);
  if (!known(FindingKind::out_of_bounds, event, 0))
    report(FindingKind::out_of_bounds, event, 0, describe_stray(event, foreign_stack));
  return foreign_stack;
}

std::string BlockChecker::describe_stray(const Event& event, bool foreign_stack) const {
  const std::string what = fmt::format("{} {} {} @0", self(), verb(event.kind()), count_bytes(event.bytes));
  if (foreign_stack) return what + ": local memory of another thread";
  if (event.address < kNullPage) return fmt::format("{}: {} behind a null pointer", what, count_bytes(event.address));
  const ImageShadow& image = checker_.image_;
  const ImageShadow::Buffer* const near = image.nearest(event.address);
  if (!near) return what + ", which belongs to no buffer";
  const auto first = static_cast<std::int64_t>(event.address - image.base() - near->offset);
  return fmt::format("{}, which belongs to no buffer: {} of '{}', which has {}", what, byte_range(first, event.bytes),
                     near->name, near->bytes);
}

bool BlockChecker::in_globals(const Event& event) {
  static const std::string kName = "a __device__ variable";
  if (checker_.observes()) return true;
  const std::size_t offset = event.address - checker_.module_.writable_begin;
  check_shadow(event, {&checker_.globals_, offset, order_.horizon(scheduler_.current().linear), false, &kName, offset,
                       1, event.address});
  return true;
}

void BlockChecker::fence() {
  settle();
  order_.fence(scheduler_.current().linear);
}

void BlockChecker::proxy_fence() {
  settle();
  order_.proxy_fence(scheduler_.current().linear);
}

void BlockChecker::grid_wait() {
  settle();
  order_.grid_wait(scheduler_.current().linear);
}

void BlockChecker::arrive_warp(const Thread& thread) {
  settle();
  for_each_lane(thread, [&](int linear) { order_.arrive(linear); });
}

void BlockChecker::arrive_warp_at(const BlockChecker& other, const Thread& thread) {
  settle();
  for_each_lane(thread, [&](int linear) { order_.arrive_at(other.order_, linear); });
}

void BlockChecker::join_warp(const Thread& thread) {
  for_each_lane(thread, [&](int linear) { order_.join(linear); });
}

void BlockChecker::misaligned(std::uintptr_t address, std::size_t alignment, const char* type, const void* from) {
  const ImageShadow& image = checker_.image_;
  const Event event{address, alignment, false, false, site_of(from)};
  if (known(FindingKind::misaligned, event, 0)) return;
  std::string where = fmt::format("an address that is {} off", count_bytes(address % alignment));
  if (image.contains(address))
    if (const ImageShadow::Buffer* const buffer = image.at(image.offset(address)))
      where = fmt::format("byte {} of '{}'", image.offset(address) - buffer->offset, buffer->name);
  report(FindingKind::misaligned, event, 0,
         fmt::format("{} used {} as {} @0, which must lie at a multiple of {} bytes", self(), where, type, alignment));
}

void BlockChecker::index(long long index, const char* array, const void* from) {
  const Event event{0, 0, false, false, site_of(from)};
  if (!known(FindingKind::out_of_bounds, event, 2))
    report(FindingKind::out_of_bounds, event, 2,
           fmt::format("{} used index {} of an array {} @0", self(), index, array));
}

void BlockChecker::allocated(const void* memory, std::size_t bytes) {
  if (memory) checker_.heap_.emplace_back(static_cast<const std::byte*>(memory), bytes);
}

void BlockChecker::released(const void* memory) {
  std::erase_if(checker_.heap_, [&](const auto& range) { return range.data() == memory; });
}

}  // namespace harness::cpu
