#include "harness/device/cpu/session.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "harness/core/error.h"
#include "harness/device/cpu/calibrate.h"
#include "harness/device/cpu/check/checker.h"
#include "harness/device/cpu/count/counter.h"
#include "harness/device/cpu/execute/arguments.h"
#include "harness/device/cpu/execute/cluster.h"
#include "harness/device/cpu/execute/module.h"
#include "harness/device/cpu/execute/workers.h"
#include "harness/device/cpu/probe.h"
#include "harness/system/rights.h"

namespace harness {
namespace {

std::uint64_t volume(const Dim3& d) {
  return std::uint64_t{d.x} * d.y * d.z;
}

std::string text(const Dim3& d) {
  return fmt::format("({},{},{})", d.x, d.y, d.z);
}

/// What a driver would refuse.
void check_sizes(const Launch& launch) {
  if (launch.grid.x == 0 || launch.grid.y == 0 || launch.grid.z == 0 || volume(launch.block) == 0)
    throw LaunchRefused(fmt::format("{}: grid {} of blocks {} has nothing to run", launch.entry, text(launch.grid),
                                    text(launch.block)));
  if (launch.grid.x > 0x7fffffffu || launch.grid.y > 65535 || launch.grid.z > 65535)
    throw LaunchRefused(
        fmt::format("{}: grid {} is larger than (2147483647,65535,65535)", launch.entry, text(launch.grid)));
  if (launch.block.x > 1024 || launch.block.y > 1024 || launch.block.z > 64 || volume(launch.block) > 1024)
    throw LaunchRefused(
        fmt::format("{}: block {} is larger than 1024 threads or (1024,1024,64)", launch.entry, text(launch.block)));
}

bool in_clusters(const Launch& launch) {
  return volume(launch.cluster) > 1;
}

/// What a driver would refuse, with the right to more than the 8 blocks that every device can do.
void check_cluster(const Launch& launch) {
  constexpr std::uint64_t kMaxBlocks = 16;
  const Dim3 &grid = launch.grid, &cluster = launch.cluster;
  if (volume(cluster) == 0 || volume(cluster) > kMaxBlocks)
    throw LaunchRefused(
        fmt::format("{}: a cluster {} has no block or more than {}", launch.entry, text(cluster), kMaxBlocks));
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    throw LaunchRefused(
        fmt::format("{}: grid {} is no multiple of cluster {}", launch.entry, text(grid), text(cluster)));
}

void check_shared(const Launch& launch, const Artifact& artifact) {
  std::int64_t fixed = 0;
  for (const EntryResources& entry : artifact.entries)
    if (entry.entry == launch.entry) fixed = entry.static_shared_bytes;
  if (launch.shared < 0 || launch.shared + fixed > HARNESS_CPU_MAX_SHARED)
    throw LaunchRefused(fmt::format("{}: {} bytes of dynamic and {} of static shared memory exceed the {} of a block",
                                    launch.entry, launch.shared, fixed, HARNESS_CPU_MAX_SHARED));
}

HarnessCpuIndex block_index(std::uint64_t linear, const Dim3& grid) {
  return {static_cast<unsigned>(linear % grid.x), static_cast<unsigned>(linear / grid.x % grid.y),
          static_cast<unsigned>(linear / grid.x / grid.y)};
}

std::string describe_overrun(const Launch& launch, const HarnessCpuIndex& block) {
  return fmt::format("illegal_access: {}: block ({},{},{}) wrote behind its {} bytes of dynamic shared memory",
                     launch.entry, block.x, block.y, block.z, launch.shared);
}

/// Takes blocks in ascending order, as a GPU does, until none is left or the launch has failed.
void take_blocks(cpu::BlockRunner& runner, cpu::LaunchState& state, std::atomic<std::uint64_t>& next) {
  const std::uint64_t blocks = state.counter ? state.counter->running() : volume(state.launch.grid);
  const auto shared_bytes = static_cast<std::size_t>(state.launch.shared);
  for (std::uint64_t i = next++; i < blocks && !state.failed(); i = next++) {
    const std::uint64_t number = state.counter ? state.counter->unit(i) : i;
    const HarnessCpuIndex block = block_index(number, state.launch.grid);
    runner.count_as(number);
    runner.shared_memory().poison(shared_bytes);
    runner.run(block);
    if (!state.failed() && !state.checker && !runner.shared_memory().guard_intact(shared_bytes))
      state.fail(describe_overrun(state.launch, block));
  }
}

void run_blocks(cpu::BlockRunner& runner, int worker, cpu::LaunchState& state, std::atomic<std::uint64_t>& next) {
  const cpu::Turn turn(state.turns(), worker);
  runner.begin(state, worker);
  take_blocks(runner, state, next);
  runner.end();
}

std::string describe_touched(const Launch& launch, const HarnessCpuIndex& block, const char* when) {
  return fmt::format("illegal_access: {}: the shared memory of block ({},{},{}) was written {}", launch.entry, block.x,
                     block.y, block.z, when);
}

/// The block of `cluster` that falls to this host thread.
void run_in_cluster(cpu::BlockRunner& runner, int worker, cpu::LaunchState& state, cpu::Cluster& cluster,
                    std::uint64_t number) {
  const cpu::Turn turn(&cluster.turns(), worker);
  if (state.failed()) return;
  const unsigned rank = cluster.rank_of(worker);
  const cpu::Cluster::Member& self = cluster.member(rank);
  const auto shared_bytes = static_cast<std::size_t>(state.launch.shared);
  runner.begin(state, worker);
  runner.count_as(number);
  if (!runner.enter(cluster, rank) && !state.checker)
    state.fail(describe_touched(state.launch, self.block, "before it had begun"));
  if (!state.failed()) runner.run(self.block, &cluster, rank);
  if (!state.failed() && !state.checker && !self.memory.guard_intact(shared_bytes))
    state.fail(describe_overrun(state.launch, self.block));
  cluster.end(rank);
  runner.end();
}

void fill(const Memset& step, const Executable& executable, std::span<std::byte> image, cpu::Checker* checker) {
  const ImageBuffer* const buffer = find_buffer(executable.layout, step.target);
  if (!buffer || step.offset < 0 || step.bytes < 0 || step.offset + step.bytes > buffer->bytes)
    throw LaunchRefused(fmt::format("memset of {} bytes at {} does not lie within a buffer '{}'", step.bytes,
                                    step.offset, step.target));
  const auto start = static_cast<std::size_t>(buffer->offset + step.offset),
             bytes = static_cast<std::size_t>(step.bytes);
  std::memset(image.data() + start, step.value, bytes);
  if (checker) checker->filled(start, bytes);
}

void relocate(const ImageLayout& layout, std::span<std::byte> image) {
  for (const Relocation& relocation : layout.relocations) {
    std::byte* const target = image.data() + relocation.target;
    std::memcpy(image.data() + relocation.at, &target, sizeof target);
  }
}

}  // namespace

CpuSession::CpuSession(int threads) : threads_(threads > 0 ? threads : cpu::default_threads()) {}

CpuSession::~CpuSession() = default;

void CpuSession::make_threads(const Plan& plan) {
  // As many as there are blocks: threads, and their stacks, are most of what a small launch costs.
  std::uint64_t most = 1;
  for (const Step& step : plan.steps)
    if (const auto* launch = std::get_if<Launch>(&step)) most = std::max(most, volume(launch->grid));
  const int wanted = static_cast<int>(std::min<std::uint64_t>(most, static_cast<std::uint64_t>(threads_)));
  if (!workers_) workers_ = std::make_unique<cpu::Workers>(wanted);
  workers_->grow(wanted);
  for (const Step& step : plan.steps)
    if (const auto* launch = std::get_if<Launch>(&step); launch && volume(launch->cluster) > 1) {
      check_cluster(*launch);
      workers_->grow(static_cast<int>(volume(launch->cluster)));
    }
}

cpu::Module& CpuSession::module_of(const Artifact& artifact) {
  std::unique_ptr<cpu::Module>& module = modules_[artifact.path];
  if (!module) module = std::make_unique<cpu::Module>(artifact.path);
  return *module;
}

/// Where blocks that are not counted run; nullptr: where the others do. Variables that outlive a block would be there
/// twice.
cpu::Module* CpuSession::plain_of(const Executable& executable) {
  const bool usable = executable.counting && executable.plain && executable.plain->globals.empty();
  return usable ? &module_of(*executable.plain) : nullptr;
}

void CpuSession::preload(const Artifact& artifact) {
  module_of(artifact);
}

void CpuSession::warm_up(const Executable& executable) {
  make_threads(executable.plan);
  const cpu::Module& module = module_of(executable.artifact);
  const cpu::Module* const plain = plain_of(executable);
  std::uint64_t threads = 0, blocks = 1;
  for (const Step& step : executable.plan.steps)
    if (const auto* launch = std::get_if<Launch>(&step)) {
      threads = std::max(threads, volume(launch->block));
      blocks = std::max(blocks, volume(launch->grid));
    }
  // Pages cost more than anything else in a small launch: only who gets a block gets its own.
  workers_->run(workers_->count(), [&](cpu::BlockRunner& runner, int worker) {
    if (static_cast<std::uint64_t>(worker) < blocks) {
      runner.open_stacks(static_cast<int>(std::min<std::uint64_t>(threads, 1024)));
      module.shared_memory().poison(HARNESS_CPU_MAX_SHARED);
      if (plain != nullptr) plain->shared_memory().poison(HARNESS_CPU_MAX_SHARED);
    }
    forget_thread_number(worker + 1);
  });
}

void CpuSession::close_inputs(const Executable& executable, std::span<std::byte> image) {
  const auto module = modules_.find(executable.artifact.path);
  if (module != modules_.end() && module->second && module->second->checked()) return;
  const auto restrict = [&](const std::vector<ImagePages>& ranges, int rights) {
    for (const ImagePages& pages : ranges)
      if (mprotect(image.data() + pages.offset, static_cast<std::size_t>(pages.bytes), rights) != 0)
        throw environment_error(fmt::format("cannot protect the inputs of a launch: {}", std::strerror(errno)));
  };
  restrict(executable.layout.read_only, PROT_READ);
  restrict(executable.layout.closed, PROT_NONE);
}

void CpuSession::run(const Executable& executable, std::span<std::byte> image) {
  make_threads(executable.plan);
  cpu::Module& module = module_of(executable.artifact);
  ++runs_;
  relocate(executable.layout, image);
  const bool counted = module.checked() && executable.counting.has_value();
  checker_ = module.checked() && !counted ? std::make_unique<cpu::Checker>(executable, image, module) : nullptr;
  counter_ = counted ? std::make_unique<cpu::Counter>(executable, image, module) : nullptr;
  constants_.clear();
  fill_constants(executable, image, module);
  if (cpu::Module* const plain = plain_of(executable)) fill_constants(executable, image, *plain);
  run_steps(executable, image, module);
}

void CpuSession::fill_constants(const Executable& executable, std::span<const std::byte> image,
                                const cpu::Module& module) {
  for (const ConstantTable& table : executable.plan.constants) {
    const std::span<std::byte> memory = module.constant(table.symbol);
    FilledConstant filled{table.symbol, memory, cpu::constant_bytes(table, executable, image)};
    if (filled.bytes.size() > memory.size())
      throw LaunchRefused(fmt::format("{} has {} bytes and is filled from '{}', which has {}", table.symbol,
                                      memory.size(), table.from, filled.bytes.size()));
    std::ranges::copy(filled.bytes, memory.begin());
    filled.bytes.assign(memory.begin(), memory.end());  // with what the argument leaves as it was
    constants_.push_back(std::move(filled));
  }
}

void CpuSession::check_constants() const {
  for (const FilledConstant& filled : constants_)
    if (!std::ranges::equal(filled.memory, filled.bytes))
      throw DeviceFault(
          fmt::format("illegal_access: a launch has changed {}, which is __constant__ memory", filled.symbol));
}

std::optional<std::vector<RawFinding>> CpuSession::take_findings() {
  if (!checker_) return std::nullopt;
  return checker_->take_findings();
}

CardCalibration CpuSession::calibrate() {
  return cpu::calibrate();
}

std::optional<std::vector<CountedLaunch>> CpuSession::take_counts() {
  if (!counter_) return std::nullopt;
  return counter_->take();
}

void CpuSession::run_steps(const Executable& executable, std::span<std::byte> image, cpu::Module& module) {
  for (const Step& step : executable.plan.steps) {
    if (const auto* memset = std::get_if<Memset>(&step)) fill(*memset, executable, image, checker_.get());
    else if (const auto* next = std::get_if<Launch>(&step))
      launch(resolved(*next), static_cast<std::size_t>(&step - executable.plan.steps.data()), module, executable,
             image);
    else throw NotSupported("the cpu device has no library " + std::get<LibraryCall>(step).library);
  }
}

void CpuSession::launch(const Launch& launch, std::size_t step, cpu::Module& module, const Executable& executable,
                        std::span<std::byte> image) {
  check_sizes(launch);
  check_shared(launch, executable.artifact);
  const std::uint64_t blocks = volume(launch.grid);
  const bool clusters = in_clusters(launch);
  if (clusters) check_cluster(launch);
  const auto together = clusters ? volume(launch.cluster) : static_cast<std::uint64_t>(threads_);
  if (launch.cooperative && blocks > together)
    throw NotSupported(fmt::format("{}: a cooperative launch of {} blocks needs as many host threads; there are {}",
                                   launch.entry, blocks, together));
  const HarnessCpuEntry* const entry = module.find(launch.entry);
  if (!entry) throw LaunchRefused(fmt::format("the candidate was built without the entry {}", launch.entry));
  cpu::ArgumentPack arguments(launch, *entry, executable, image);
  cpu::LaunchState state({entry, &module}, arguments.pointers(), launch, checker_.get(), counter_.get(), runs_);
  // Who waits for others in turns must say so, and who reads shared memory of others must find it.
  const cpu::Module* const plain = plain_of(executable);
  if (counter_ && plain && !counter_->in_turns() && !launch.cooperative && !clusters)
    if (const HarnessCpuEntry* const same = plain->find(launch.entry)) state.plain = {same, plain};
  // Where counted blocks run one after another, one host thread is enough, unless they must run at once.
  const bool one = counter_ && counter_->in_turns() && !launch.cooperative && !clusters;
  const int workers = one ? 1 : static_cast<int>(std::min(blocks, together));
  if (checker_) checker_->begin_launch(launch, workers, arguments.memory());
  if (counter_) {
    const std::uint64_t unit_blocks = clusters ? together : 1;
    counter_->begin_launch(launch, step, blocks / unit_blocks, static_cast<int>(unit_blocks), workers);
  }
  if (clusters) launch_clusters(state, module);
  else launch_blocks(state, workers);
  if (counter_) counter_->end_launch();
  if (state.failed()) throw DeviceFault(state.fault());
  check_constants();
}

// At once: a block on every host thread, or one cluster.
Launch CpuSession::resolved(const Launch& launch) const {
  Launch exact = launch;
  exact.grid =
      blocks_that_fit(launch, in_clusters(launch) ? volume(launch.cluster) : static_cast<std::uint64_t>(threads_));
  return exact;
}

void CpuSession::launch_blocks(cpu::LaunchState& state, int workers) {
  do {
    std::atomic<std::uint64_t> next{0};
    workers_->run(workers, [&](cpu::BlockRunner& runner, int worker) { run_blocks(runner, worker, state, next); });
  } while (state.counter && !state.failed() && state.counter->runs_more());
}

void CpuSession::launch_clusters(cpu::LaunchState& state, cpu::Module& module) {
  const cpu::ClusterShape shape(state.launch.grid, state.launch.cluster);
  std::vector<cpu::SharedMemory> memories(shape.blocks());
  workers_->run(static_cast<int>(shape.blocks()), [&](cpu::BlockRunner&, int worker) {
    memories[static_cast<std::size_t>(worker)] = module.shared_memory();
  });
  if (state.counter) state.counter->share(memories);
  do {
    const std::uint64_t running = state.counter ? state.counter->running() : shape.clusters();
    for (std::uint64_t i = 0; i < running && !state.failed(); ++i)
      run_cluster(state, shape, state.counter ? state.counter->unit(i) : i, memories);
  } while (state.counter && !state.failed() && state.counter->runs_more());
}

void CpuSession::run_cluster(cpu::LaunchState& state, const cpu::ClusterShape& shape, std::uint64_t number,
                             const std::vector<cpu::SharedMemory>& memories) {
  const int blocks = static_cast<int>(shape.blocks()), threads = static_cast<int>(volume(state.launch.block));
  // Every other cluster runs its blocks in reverse, and so does the same cluster in the next launch.
  cpu::Cluster cluster(shape, number, threads, memories, static_cast<std::size_t>(state.launch.shared),
                       (number + state.run) % 2);
  cluster.poison();
  workers_->run(blocks,
                [&](cpu::BlockRunner& runner, int worker) { run_in_cluster(runner, worker, state, cluster, number); });
  const cpu::Cluster::Member* const touched = state.failed() || state.checker ? nullptr : cluster.touched_after_end();
  if (touched) state.fail(describe_touched(state.launch, touched->block, "after it had ended"));
}

}  // namespace harness
