#include "harness/device/cuda/peaks/peaks.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "harness/device/cuda/run/graphs.h"

namespace harness::cuda {
namespace {

constexpr std::int64_t kMega = 1 << 20;
constexpr double kNsPerSecond = 1e9;

std::int64_t bytes_to_move(const DriverApi& api) {
  std::size_t free = 0, total = 0;
  check(api, api.cuMemGetInfo_v2(&free, &total), "cuMemGetInfo");
  return std::min<std::int64_t>(1024 * kMega, static_cast<std::int64_t>(free) / 4) / kMega * kMega;
}

class PeakMeter {
 public:
  PeakMeter(const DriverApi& api, ModuleCache& modules, Stream stream, const std::string& cache_folder,
            const DeviceInfo& device)
      : api_(api),
        stream_(stream),
        device_(device),
        source_(peak_source(device.compute_capability, device.architecture)),
        kernels_(api, modules, cache_folder, device.architecture, source_.memory_and_arithmetic),
        bytes_(bytes_to_move(api)),
        memory_(allocate(api, static_cast<std::size_t>(bytes_ + kMega))),
        sink_(memory_.get() + static_cast<DevicePointer>(bytes_)),
        events_(api) {
    for (const auto& kernel : source_.tensor)
      tensor_kernels_.emplace_back(api, modules, cache_folder, device.architecture, kernel.build);
    check(api, api.cuMemsetD8Async(memory_.get(), 0, static_cast<std::size_t>(bytes_ + kMega), stream),
          "cuMemsetD8Async");
  }

  MeasuredPeaks measure() {
    MeasuredPeaks peaks;
    peaks.bytes_per_s = std::max(read_rate(), copy_rate());
    peaks.l2_bytes_per_s = l2_rate();
    peaks.memory_trip_ns = trip_ns(bytes_ / 2);
    if (device_.l2_bytes >= kMega) peaks.l2_trip_ns = trip_ns(kMega / 32);
    peaks.flops["f32"] = f32_rate();
    peaks.exps_per_s = exp_rate();
    for (std::size_t i = 0; i < source_.tensor.size(); ++i)
      peaks.flops[source_.tensor[i].dtype] = tensor_rate(source_.tensor[i], tensor_kernels_[i]);
    return peaks;
  }

  CardCalibration calibrate(const std::function<void()>& at_work) {
    bursts_ = 16;
    warming_ = 4;
    place_ = 0.5;
    CardCalibration calibration;
    calibration.bytes_per_s = copy_rate();
    at_work_ = at_work;
    const std::size_t kind = preferred_tensor();
    const bool tensor = kind < source_.tensor.size();
    calibration.operations_per_s = tensor ? tensor_rate(source_.tensor[kind], tensor_kernels_[kind]) : f32_rate();
    calibration.method =
        "cuda 1: copy, " + (tensor ? source_.tensor[kind].dtype + " tensor cores" : std::string("f32"));
    return calibration;
  }

 private:
  /// Of source_.tensor; beyond its end: there is none.
  std::size_t preferred_tensor() const {
    for (const char* dtype : {"bf16", "f16"})
      for (std::size_t i = 0; i < source_.tensor.size(); ++i)
        if (source_.tensor[i].dtype == dtype) return i;
    return source_.tensor.size();
  }

  /// `amount` of something that `work` does each time it is enqueued, in a second at best, or in the median.
  double rate(double amount, const std::function<void()>& work) {
    constexpr auto kPause = std::chrono::milliseconds(4);  // longer than a burst: no power cap comes near
    std::vector<double> taken;
    for (int burst = 0; burst < bursts_; ++burst) {
      events_.record_start(stream_);
      work();
      work();
      events_.record_end(stream_);
      if (burst + 1 == bursts_ && at_work_) at_work_();
      synchronize(api_, stream_);
      if (burst >= warming_) taken.push_back(events_.ns() / 2);
      std::this_thread::sleep_for(kPause);
    }
    const auto counts = taken.begin() + static_cast<std::ptrdiff_t>(place_ * static_cast<double>(taken.size()));
    std::ranges::nth_element(taken, counts);
    return *counts > 0 ? amount / *counts * kNsPerSecond : 0;
  }

  OwnKernels::Shape blocks_per_sm(std::uint32_t blocks, std::uint32_t threads) const {
    return {.blocks = static_cast<std::uint32_t>(std::max(device_.multiprocessors, 1)) * blocks, .threads = threads};
  }

  /// Words of 16 bytes of a region that a grid reads whole, four a thread and turn.
  static std::int64_t whole_turns(std::int64_t bytes, const OwnKernels::Shape& shape) {
    const std::int64_t turn = 4 * std::int64_t{shape.blocks} * shape.threads;
    return std::max<std::int64_t>(1, bytes / 16 / turn) * turn;
  }

  double read_rate() {
    const auto shape = blocks_per_sm(8, 256);
    const std::int64_t count = whole_turns(bytes_, shape);
    return rate(16.0 * static_cast<double>(count),
                [&] { kernels_.launch("harness_peak_read", shape, stream_, memory_.get(), count, sink_); });
  }

  double copy_rate() {
    const auto shape = blocks_per_sm(8, 256);
    const std::int64_t count = whole_turns(bytes_ / 2, shape);
    const DevicePointer to = memory_.get() + static_cast<DevicePointer>(bytes_ / 2);
    return rate(32.0 * static_cast<double>(count),
                [&] { kernels_.launch("harness_peak_copy", shape, stream_, memory_.get(), to, count); });
  }

  double l2_rate() {
    constexpr int kPasses = 32;
    if (device_.l2_bytes < kMega) return 0;
    const auto shape = blocks_per_sm(8, 256);
    const std::int64_t count = whole_turns(std::min(device_.l2_bytes / 3, bytes_), shape);
    return rate(16.0 * static_cast<double>(count) * kPasses,
                [&] { kernels_.launch("harness_peak_l2", shape, stream_, memory_.get(), count, kPasses, sink_); });
  }

  /// One dependent load of one thread that walks over a region, a step of more than a page of DRAM each: a small region
  /// is in the L2 after the first walk; a large one never is, for each launch goes on where the last one stopped. From
  /// the difference of a long and a short walk, so that beginning the launch is in neither.
  double trip_ns(std::int64_t region) {
    constexpr int kStep = (4096 + 128) / 4, kShort = 64, kLong = 320;
    const std::int64_t words = region / 4;
    std::int64_t first = words / 2;  // what was moved last, and lies in the L2, is at the ends
    const auto walk_ns = [&](int trips) {
      return kNsPerSecond / rate(1, [&] {
               kernels_.launch("harness_peak_trips", {.blocks = 1, .threads = 1}, stream_, memory_.get(), words, first,
                               kStep, trips, sink_);
               first = (first + std::int64_t{kStep} * trips) % words;
             });
    };
    const double short_ns = walk_ns(kShort);
    return std::max(0.0, (walk_ns(kLong) - short_ns) / (kLong - kShort));
  }

  double f32_rate() {
    constexpr int kIterations = 2048;
    const auto shape = blocks_per_sm(4, 512);
    return rate(2.0 * 64 * kIterations * shape.blocks * shape.threads,
                [&] { kernels_.launch("harness_peak_f32", shape, stream_, sink_, kIterations, 0.999f, 0.001f); });
  }

  double exp_rate() {
    constexpr int kIterations = 512;
    const auto shape = blocks_per_sm(4, 512);
    return rate(32.0 * kIterations * shape.blocks * shape.threads,
                [&] { kernels_.launch("harness_peak_exp", shape, stream_, sink_, kIterations); });
  }

  double tensor_rate(const PeakSource::TensorKernel& kernel, const OwnKernels& compiled) {
    constexpr int kIterations = 1000;
    const auto shape = blocks_per_sm(device_.architecture == "sm_90a" ? 1 : 2, 256);
    return rate(kernel.flops * kIterations * shape.blocks,
                [&] { compiled.launch(kernel.entry, shape, stream_, sink_, kIterations); });
  }

  const DriverApi& api_;
  Stream stream_;
  const DeviceInfo& device_;
  PeakSource source_;
  OwnKernels kernels_;
  std::vector<OwnKernels> tensor_kernels_;  // of source_.tensor
  std::int64_t bytes_;
  OwnedMemory memory_;
  DevicePointer sink_;
  EventPair events_;
  int bursts_ = 6, warming_ = 1;  // of all the first, which warm
  double place_ = 0;              // of the burst that counts, in their order: 0 the fastest, 0.5 the median
  std::function<void()> at_work_;
};

}  // namespace

MeasuredPeaks measure_peaks(const DriverApi& api, ModuleCache& modules, Stream stream, const std::string& cache_folder,
                            const DeviceInfo& device) {
  return PeakMeter(api, modules, stream, cache_folder, device).measure();
}

CardCalibration calibrate(const DriverApi& api, ModuleCache& modules, Stream stream, const std::string& cache_folder,
                          const DeviceInfo& device, const std::function<void()>& at_work) {
  return PeakMeter(api, modules, stream, cache_folder, device).calibrate(at_work);
}

}  // namespace harness::cuda
