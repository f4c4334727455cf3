#include "harness/device/cpu/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "harness/device/cpu/arguments.h"
#include "harness/device/cpu/checker.h"
#include "harness/device/cpu/module.h"
#include "harness/device/cpu/probe.h"
#include "harness/device/cpu/workers.h"

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
  if (volume(launch.cluster) > 1) throw NotSupported(launch.entry + ": the cpu device has no thread block clusters");
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

/// Takes blocks in ascending order, as a GPU does, until none is left or the launch has failed.
void take_blocks(cpu::BlockRunner& runner, cpu::LaunchState& state, const cpu::Module& module,
                 std::atomic<std::uint64_t>& next) {
  const std::uint64_t blocks = volume(state.launch.grid);
  const auto shared_bytes = static_cast<std::size_t>(state.launch.shared);
  const cpu::SharedMemory shared = module.shared_memory();
  for (std::uint64_t i = next++; i < blocks && !state.failed(); i = next++) {
    const HarnessCpuIndex block = block_index(i, state.launch.grid);
    shared.poison(shared_bytes);
    runner.run(block);
    if (!state.failed() && !state.checker && !shared.guard_intact(shared_bytes))
      state.fail(fmt::format("illegal_access: {}: block ({},{},{}) wrote behind its {} bytes of dynamic shared memory",
                             state.launch.entry, block.x, block.y, block.z, shared_bytes));
  }
}

void run_blocks(cpu::BlockRunner& runner, int worker, cpu::LaunchState& state, const cpu::Module& module,
                std::atomic<std::uint64_t>& next) {
  const cpu::Turn turn(state.checker ? state.checker->turns() : nullptr, worker);
  runner.begin(state, module, worker);
  take_blocks(runner, state, module, next);
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

CpuSession::CpuSession(int threads)
    : workers_(std::make_unique<cpu::Workers>(threads > 0 ? threads : cpu::default_threads())) {}

CpuSession::~CpuSession() = default;

DeviceInfo CpuSession::info() {
  return cpu::describe(workers_->count());
}

void CpuSession::preload(const Artifact& artifact) {
  std::unique_ptr<cpu::Module>& module = modules_[artifact.path];
  if (module) return;
  auto loaded = std::make_unique<cpu::Module>(artifact.path);
  workers_->run(workers_->count(), [&](cpu::BlockRunner&, int) { loaded->shared_memory(); });
  module = std::move(loaded);
}

void CpuSession::run(const Executable& executable, std::span<std::byte> image) {
  preload(executable.artifact);
  relocate(executable.layout, image);
  cpu::Module& module = *modules_[executable.artifact.path];
  checker_ = module.checked() ? std::make_unique<cpu::Checker>(executable, image, module) : nullptr;
  run_steps(executable, image, module);
}

std::optional<std::vector<cpu::RawFinding>> CpuSession::take_findings() {
  if (!checker_) return std::nullopt;
  return checker_->take_findings();
}

void CpuSession::run_steps(const Executable& executable, std::span<std::byte> image, cpu::Module& module) {
  for (const Step& step : executable.plan.steps) {
    if (const auto* memset = std::get_if<Memset>(&step)) fill(*memset, executable, image, checker_.get());
    else if (const auto* next = std::get_if<Launch>(&step)) launch(*next, module, executable, image);
    else throw NotSupported("the cpu device has no library " + std::get<LibraryCall>(step).library);
  }
}

void CpuSession::launch(const Launch& launch, cpu::Module& module, const Executable& executable,
                        std::span<std::byte> image) {
  check_sizes(launch);
  check_shared(launch, executable.artifact);
  const std::uint64_t blocks = volume(launch.grid);
  if (launch.cooperative && blocks > static_cast<std::uint64_t>(workers_->count()))
    throw NotSupported(fmt::format("{}: a cooperative launch of {} blocks needs as many host threads; there are {}",
                                   launch.entry, blocks, workers_->count()));
  const HarnessCpuEntry* const entry = module.find(launch.entry);
  if (!entry) throw LaunchRefused(fmt::format("the candidate was built without the entry {}", launch.entry));
  cpu::ArgumentPack arguments(launch, *entry, executable, image);
  cpu::LaunchState state(*entry, arguments.pointers(), launch, checker_.get());
  std::atomic<std::uint64_t> next{0};
  const int workers = static_cast<int>(std::min<std::uint64_t>(blocks, static_cast<std::uint64_t>(workers_->count())));
  if (checker_) checker_->begin_launch(launch, workers, arguments.memory());
  workers_->run(workers,
                [&](cpu::BlockRunner& runner, int worker) { run_blocks(runner, worker, state, module, next); });
  if (state.failed()) throw DeviceFault(state.fault());
}

}  // namespace harness
