#pragma once
#include <string>

#include "harness/device/cuda/library/libraries.h"
#include "harness/device/cuda/run/device_arena.h"
#include "harness/device/cuda/run/module_cache.h"
#include "harness/device/cuda/run/own_kernels.h"
#include "harness/device/port/device_judge.h"

namespace harness::cuda {

/// On one GPU, in the primary context of the constructing thread.
class CudaJudge : public DeviceJudge {
 public:
  /// Its kernels are compiled into `cache_folder`. Throws Error without a driver, such a GPU or NVRTC. A driver of the
  /// caller's must outlive it.
  CudaJudge(int ordinal, const std::string& architecture, const std::string& cache_folder);
  CudaJudge(const DriverApi& api, int ordinal, const std::string& architecture, const std::string& cache_folder);

  std::unique_ptr<DeviceImage> paint(const PaintOrder& order) override;
  std::unique_ptr<DeviceImage> upload(std::span<const std::byte> image) override;
  void read(const DeviceImage& image, std::span<std::byte> into) override;
  std::vector<std::uint64_t> gather(const DeviceImage& image, std::span<const std::int64_t> places,
                                    std::int64_t width) override;
  LaunchNumbers compare(const JudgedLaunch& launch) override;
  std::shared_ptr<void> hold(std::span<std::byte> memory) override { return hold_pages(api_, memory); }

 private:
  struct Looking;
  OwnKernels::Shape spread(std::int64_t threads) const;
  template <typename T>
  void send(DevicePointer to, std::span<const T> from);
  template <typename T>
  void fetch(std::span<T> into, DevicePointer from);
  std::vector<std::uint64_t> gather_at(DevicePointer image, std::span<const std::int64_t> places, std::int64_t width);
  DevicePointer run_reference(const JudgedLaunch& launch, DevicePointer before);
  std::int64_t changed_words(const LaunchComparison& comparison, DevicePointer before, DevicePointer after);
  std::vector<SampledElement> sample(const Looking& at, const ComparedOutput& output, DevicePointer rms);
  OutputNumbers look(const Looking& at, const ComparedOutput& output);

  const DriverApi& api_;
  PrimaryContext context_;
  OwnedStream stream_;
  ModuleCache modules_;
  Libraries libraries_;
  OwnKernels kernels_;
  DeviceArena after_, reference_, work_, words_;
};

}  // namespace harness::cuda
