#include "harness/device/cuda/session.h"

#include <fmt/format.h>

#include <filesystem>
#include <numeric>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/device/cuda/peaks/peaks.h"
#include "harness/device/cuda/probe.h"
#include "harness/device/cuda/run/foreign_processes.h"
#include "harness/device/cuda/run/relocation.h"
#include "harness/device/cuda/run/timed_torch.h"
#include "harness/device/cuda/run/timing_run.h"
#include "harness/device/cuda/run/walled_image.h"

namespace harness::cuda {
namespace {

const DriverApi& require_driver() {
  const DriverLibrary& library = driver_library();
  if (!library.api) throw environment_error(library.missing);
  return *library.api;
}

std::string pci_bus_id(const DriverApi& api, Device device) {
  char text[32] = {};
  return api.cuDeviceGetPCIBusId(text, sizeof text, device) == kSuccess ? text : "";
}

/// Device code may print and allocate, but hardly: a heap is memory that outlives a launch, and what it prints nobody
/// reads. The driver raises what is less than it can do with; of one that refuses instead, the least it takes.
void limit_device_code(const DriverApi& api) {
  for (const int limit : {kLimitPrintfFifo, kLimitMallocHeap}) {
    for (std::size_t bytes = 1024; bytes <= (1 << 20); bytes *= 4) {
      const Status status = api.cuCtxSetLimit(limit, bytes);
      check_fault(api, status, "cuCtxSetLimit");
      if (status == kSuccess) break;
    }
  }
}

std::int64_t free_bytes(const DriverApi& api) {
  std::size_t free = 0, total = 0;
  check(api, api.cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  return static_cast<std::int64_t>(free);
}

}  // namespace

CudaSession::CudaSession(int ordinal, const std::string& cache_folder, bool trusted)
    : CudaSession(require_driver(), ordinal, cache_folder, trusted) {}

CudaSession::CudaSession(const DriverApi& api, int ordinal, const std::string& cache_folder, bool trusted)
    : api_(api),
      context_(api, ordinal),
      cache_folder_(cache_folder),
      pci_bus_id_(pci_bus_id(api, context_.device())),
      info_(describe_device(api, ordinal)),
      clock_(pci_bus_id_),
      stream_(create_stream(api)),
      modules_(api),
      libraries_(api),
      image_memory_(api),
      set_memory_(api),
      around_run_(api),
      torch_(fmt::format("cuda:{}", ordinal), trusted) {
  limit_device_code(api);
}

/// Runs `work`; a fault of unknown kind on a GPU that NVML calls lost is named so.
template <typename Work>
auto CudaSession::with_fault_named(Work work) {
  try {
    return work();
  } catch (const DeviceFault& fault) {
    if (std::string_view(fault.what()).starts_with("device_lost") || !clock_.device_lost()) throw;
    throw DeviceFault(fmt::format("device_lost: {}", fault.what()));
  }
}

void CudaSession::run(const Executable& executable, std::span<std::byte> image) {
  with_fault_named([&] { run_once(executable, image); });
}

void CudaSession::run_behind_walls(const Executable& executable, std::span<std::byte> image) {
  if (!WalledImage::suits(executable)) return run(executable, image);
  with_fault_named([&] {
    try {
      run_walled(executable, image);
    } catch (const DeviceFault& fault) {
      throw DeviceFault(
          fmt::format("{} (inputs can only be read here, and nothing lies behind a buffer)", fault.what()));
    }
  });
}

void CudaSession::run_walled(const Executable& executable, std::span<std::byte> image) {
  const WalledImage walled(api_, context_.device(), stream_.get(), executable, image);
  const Executable addressed = walled.addressed();
  LoadedPlan plan(api_, modules_, libraries_, addressed);
  launch_and_wait(plan, 0);
  walled.download(image);
  synchronize(api_, stream_.get());
}

void CudaSession::launch_and_wait(LoadedPlan& plan, DevicePointer base) {
  last_run_ns_ = 0;
  plan.fill_constants(stream_.get(), base);
  around_run_.record_start(stream_.get());
  try {
    plan.enqueue(stream_.get(), base);
  } catch (const LaunchRefused&) {
    synchronize(api_, stream_.get());  // a fault of an earlier step belongs to this run, not to the next
    throw;
  }
  around_run_.record_end(stream_.get());
  synchronize(api_, stream_.get());
  last_run_ns_ = around_run_.ns();
  plan.check_constants(stream_.get());
}

void CudaSession::run_once(const Executable& executable, std::span<std::byte> image) {
  if (calls_torch(executable.plan)) {
    last_run_ns_ = torch_.run(executable, image);
    return;
  }
  LoadedPlan plan(api_, modules_, libraries_, executable);
  const DevicePointer base = image_memory_.reserve(static_cast<std::int64_t>(image.size()));
  const RelocatedImage relocated(executable.layout, image, base);
  if (!image.empty()) {
    check(api_, api_.cuMemcpyHtoDAsync_v2(base, image.data(), image.size(), stream_.get()), "cuMemcpyHtoDAsync");
  }
  launch_and_wait(plan, base);
  if (!image.empty()) {
    check(api_, api_.cuMemcpyDtoHAsync_v2(image.data(), base, image.size(), stream_.get()), "cuMemcpyDtoHAsync");
  }
  synchronize(api_, stream_.get());
}

std::vector<EntryResources> CudaSession::resources(const Executable& executable) {
  const auto module = modules_.load(executable.artifact);
  std::vector<EntryResources> all;
  for (const EntryResources& compiled : executable.artifact.entries) {
    EntryResources seen = driver_resources(api_, compiled.entry, module->functions.at(compiled.entry));
    seen.spill_bytes = compiled.spill_bytes;
    all.push_back(std::move(seen));
  }
  return all;
}

std::vector<Samples> CudaSession::time(std::span<const Executable> contenders, std::span<const ImageList> images,
                                       std::span<const ImageList> places, const TimingPolicy& policy) {
  return with_fault_named([&] { return time_all(contenders, images, places, policy); });
}

std::vector<std::unique_ptr<TimedContender>> CudaSession::prepare(std::span<const Executable> contenders,
                                                                  std::span<const ImageList> images,
                                                                  std::span<const ImageList> places,
                                                                  const MeasuringKernels& kernels) {
  const std::int64_t available = free_bytes(api_) + set_memory_.capacity();
  const std::int64_t budget = available / 4 / static_cast<std::int64_t>(contenders.size());
  std::vector<std::int64_t> sets, needed;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const ImageLayout& layout = contenders[i].layout;
    if (calls_torch(contenders[i].plan)) {  // its images are in the memory of its own process
      sets.push_back(0);
      needed.push_back(0);
      continue;
    }
    const auto given = static_cast<std::int64_t>(images[i].size());
    sets.push_back(count_sets(layout.bytes, given, info_.l2_bytes, budget));
    needed.push_back(InputSets::bytes_needed(layout, sets.back()));
  }
  DevicePointer base = set_memory_.reserve(std::accumulate(needed.begin(), needed.end(), std::int64_t{0}));
  std::vector<std::unique_ptr<TimedContender>> prepared;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    if (calls_torch(contenders[i].plan)) {
      prepared.push_back(std::make_unique<TimedTorch>(torch_, contenders[i], images[i], info_.l2_bytes));
      continue;
    }
    prepared.push_back(std::make_unique<TimedPlan>(
        api_, stream_.get(), kernels, LoadedPlan(api_, modules_, libraries_, contenders[i]),
        InputSets(api_, context_.device(), stream_.get(), kernels, base, contenders[i].layout, images[i], sets[i]),
        TimedAudit(places[i])));
    base += static_cast<DevicePointer>(needed[i]);
  }
  return prepared;
}

const CudaSession::Measuring& CudaSession::measuring(const std::string& cache_folder) {
  if (!measuring_) {
    auto kernels = std::make_unique<MeasuringKernels>(api_, modules_, stream_.get(), cache_folder, info_);
    auto timer = std::make_unique<SingleCallTimer>(api_, stream_.get(), *kernels);
    measuring_ = std::make_unique<Measuring>(Measuring{std::move(kernels), std::move(timer)});
  }
  return *measuring_;
}

MeasuredPeaks CudaSession::measure_peaks() {
  if (cache_folder_.empty()) throw bad_input("measuring peaks needs a cache folder to compile its kernels into.");
  return with_fault_named([&] {
    MeasuredPeaks peaks = cuda::measure_peaks(api_, modules_, stream_.get(), cache_folder_, info_);
    peaks.launch_ns = empty_node_ns(api_, stream_.get(), *measuring(cache_folder_).kernels);
    return peaks;
  });
}

CardCalibration CudaSession::calibrate() {
  if (cache_folder_.empty()) throw bad_input("a calibration needs a cache folder to compile its kernels into.");
  if (!errors_) errors_.emplace(pci_bus_id_);
  return with_fault_named([&] {
    CardState state;
    CardCalibration calibration =
        cuda::calibrate(api_, modules_, stream_.get(), cache_folder_, info_, [&] { state = card_state(pci_bus_id_); });
    calibration.state = state;
    calibration.state.xids = errors_->take();
    return calibration;
  });
}

std::vector<Samples> CudaSession::time_all(std::span<const Executable> contenders, std::span<const ImageList> images,
                                           std::span<const ImageList> places, const TimingPolicy& policy) {
  if (contenders.empty()) return {};
  if (images.size() != contenders.size() || places.size() != contenders.size())
    throw bad_input("timing needs images and places for each contender.");
  for (const auto& given : images) {
    if (given.empty()) throw bad_input("timing needs at least one painted image for each contender.");
  }
  const std::string beside = std::filesystem::path(contenders.front().artifact.path).parent_path().string();
  const Measuring& own = measuring(cache_folder_.empty() ? beside : cache_folder_);
  ForeignProcesses foreign(pci_bus_id_);
  const auto prepared = prepare(contenders, images, places, *own.kernels);
  measure_rotating(prepared, policy, clock_, foreign);
  std::vector<std::vector<double>> cold(contenders.size());
  if (policy.cold) cold = measure_cold(prepared, *own.timer);
  std::vector<Samples> all;
  for (std::size_t i = 0; i < prepared.size(); ++i) {
    TimedContender& contender = *prepared[i];
    Samples samples;
    samples.rotating_ns = contender.samples_ns();
    samples.cold_ns = std::move(cold[i]);
    if (policy.cold) samples.warm_ns = contender.time_warm();
    if (policy.cold) samples.single_warm_ns = contender.time_single_warm(*own.timer);
    if (samples.warm_ns.empty()) samples.warm_ns = samples.single_warm_ns;
    samples.clock_mhz = contender.clocks_mhz();
    samples.calls_per_sample = samples.input_sets = static_cast<int>(contender.calls());
    contender.tell(samples);
    contender.check_constants();
    samples.foreign_processes = foreign.most();
    samples.method = contender.method(policy.cold ? own.timer.get() : nullptr);
    all.push_back(std::move(samples));
  }
  synchronize(api_, stream_.get());
  return all;
}

}  // namespace harness::cuda
