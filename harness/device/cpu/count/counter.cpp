#include "harness/device/cpu/count/counter.h"

#include <algorithm>
#include <utility>

namespace harness::cpu {
namespace {

// What an H100 or H200 has, for the L1 that blocks share. Source: NVIDIA H100 Tensor Core GPU Architecture, 2022.
constexpr std::int64_t kL1AndShared = 256 * 1024, kReservedShared = 1024, kMostShared = 228 * 1024;
constexpr std::int64_t kMostThreads = 2048, kMostBlocks = 32;

// All of a launch that makes no more are counted: an access of a lane takes some 10 ns, and a launch that does nothing
// a millisecond or two.
constexpr std::int64_t kCheapAccesses = 160000;

std::int64_t product(const Dim3& d) {
  return std::int64_t{d.x} * d.y * d.z;
}

/// Of the blocks that a multiprocessor holds at once, with no regard to registers, each has an equal part of the L1.
std::int64_t l1_of_a_block(const Launch& launch, std::int64_t static_shared) {
  const std::int64_t shared = launch.shared + static_shared + kReservedShared;
  const std::int64_t blocks = std::max<std::int64_t>(
      1,
      std::min({kMostBlocks, kMostThreads / std::max<std::int64_t>(1, product(launch.block)), kMostShared / shared}));
  return std::max<std::int64_t>(0, (kL1AndShared - blocks * shared) / blocks);
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
  for (const ConstantTable& constant : executable.plan.constants)
    constants_.push_back(module.constant(constant.symbol));
}

std::span<const std::byte> Counter::constant_at(std::uintptr_t address) const {
  const auto holder = std::ranges::find_if(constants_, [&](std::span<const std::byte> constant) {
    return address - reinterpret_cast<std::uintptr_t>(constant.data()) < constant.size();
  });
  return holder == constants_.end() ? std::span<const std::byte>() : *holder;
}

/// Whoever asks for more blocks than usual gets all of a launch that has no more than that. Where all run, and one
/// after another, counting is not what takes the time.
Sample Counter::sample_of(const Launch& launch, std::uint64_t units, int blocks_each) const {
  const auto most_blocks = static_cast<std::uint64_t>(std::max(request_.blocks, 1));
  const auto unit_blocks = static_cast<std::uint64_t>(blocks_each);
  const bool more = request_.run_all || request_.blocks > CountingRequest{}.blocks;
  if (more && units * unit_blocks <= most_blocks) return all_blocks(units);
  std::uint64_t columns = 1;
  const Dim3 &grid = launch.grid, &cluster = launch.cluster;
  for (const auto& [blocks, together] :
       {std::pair(grid.x, cluster.x), std::pair(grid.y, cluster.y), std::pair(grid.z, cluster.z)})
    if (columns == 1) columns = blocks / std::max(1u, unit_blocks == 1 ? 1u : together);
  return sample_blocks(units, static_cast<int>(most_blocks / unit_blocks), columns, request_.seed);
}

void Counter::begin_launch(const Launch& launch, std::size_t step, std::uint64_t units, int blocks_each, int workers) {
  units_ = units;
  blocks_each_ = blocks_each;
  runs_all_ = request_.run_all || step < last_launch_;
  sample_ = sample_of(launch, units, blocks_each);
  const bool may_be_all =
      units * static_cast<std::uint64_t>(blocks_each) <= static_cast<std::uint64_t>(std::max(request_.blocks, 0));
  deferred_ = !in_turns() && !launch.cooperative && sample_.numbers.size() < units && may_be_all;
  asked_ = false;
  runs_ = sample_.numbers;
  launch_ = {};
  launch_.step = static_cast<std::int64_t>(step);
  launch_.blocks = product(launch.grid);
  std::int64_t fixed = 0;
  for (const SharedVariable& variable : module_.shared) fixed += static_cast<std::int64_t>(variable.bytes);
  l1_bytes_ = l1_of_a_block(launch, fixed);
  sectors_.clear();
  shared_.clear();
  sum_ = {};
  waiting_.clear();
  turns_.reset();
  if (in_turns() || launch.cooperative) turns_.emplace(workers);
}

void Counter::add(Tally counted, std::uint64_t unit) {
  const std::lock_guard lock(mutex_);
  if (deferred_) waiting_.emplace_back(unit, std::move(counted));
  else sum_.add(counted, 1);
}

bool Counter::runs_more() {
  if (!deferred_ || asked_) return false;
  asked_ = true;
  std::int64_t accesses = 0;
  for (const auto& [unit, tally] : waiting_) accesses += weight(unit) * tally.accesses();
  const bool cheap = accesses <= kCheapAccesses;
  if (!cheap && !runs_all_) return false;
  runs_.clear();
  for (std::uint64_t unit = 0; unit < units_; ++unit)
    if (!is_counted(unit)) runs_.push_back(unit);
  if (cheap) sample_ = all_blocks(units_);
  return true;
}

void Counter::end_launch() {
  for (const auto& [unit, tally] : waiting_) sum_.add(tally, weight(unit));
  launch_.counted_blocks = static_cast<std::int64_t>(sample_.numbers.size()) * blocks_each_;
  launch_.places = std::move(sum_.places);
  std::ranges::sort(launch_.places, {}, &CountedPlace::site);
  launch_.roles = sum_.roles.take();
  launch_.hottest = sum_.atomics.hottest();
  for (const CountedBuffer& buffer : sum_.buffers)
    if (buffer.by_block.touched > 0) launch_.buffers.push_back(buffer);
  launch_.work = sum_.work;
  launch_.heaviest = sum_.heaviest;
  launch_.blocks_meet = sum_.blocks_meet;
  launch_.atomics = sum_.atomics_used;
  launches_.push_back(std::move(launch_));
}

std::int64_t Counter::weight(std::uint64_t unit) const {
  const auto sampled = std::ranges::lower_bound(sample_.numbers, unit);
  if (sampled == sample_.numbers.end() || *sampled != unit) return 0;
  return sample_.weights[static_cast<std::size_t>(sampled - sample_.numbers.begin())];
}

}  // namespace harness::cpu
