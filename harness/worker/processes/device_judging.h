#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "harness/device/port/device_judge.h"
#include "harness/judge/bytes.h"
#include "harness/judge/reference.h"
#include "harness/worker/processes/judge_process.h"

namespace harness {

/// The judge's work on large images, done by a device (device/port/device_judge.h). Everything it says is borne out by
/// elements that are computed here again; what it does not pass is for the caller to judge from the images.
class DeviceJudging {
 public:
  explicit DeviceJudging(std::unique_ptr<DeviceJudge> device) : device_(std::move(device)) {}

  /// False: the way to the device takes longer than the work, or the image holds addresses.
  static bool is_worth_it(std::size_t bytes);
  static bool is_worth_it(const ImageLayout& layout);
  /// What it cannot draw by itself it is given.
  static bool can_paint(const Executable& executable, const DrawId& draw);

  /// As judge::paint. `rest`: an image of which the arguments `given` are painted (judge::paint_rest).
  std::unique_ptr<DeviceImage> paint(const Executable& executable, const DrawId& draw, std::span<const std::byte> rest,
                                     const std::vector<std::string>& given);
  std::unique_ptr<DeviceImage> upload(std::span<const std::byte> image) { return device_->upload(image); }
  std::shared_ptr<void> hold(std::span<std::byte> memory) { return device_->hold(memory); }
  void read(const DeviceImage& image, std::span<std::byte> into) { device_->read(image, into); }
  /// `reference`: with its artifact, unless `values` are what it leaves.
  std::optional<Verdict> passing_verdict(const Executable& executable, const DrawId& draw,
                                         const judge::ReferenceJob& reference, const DeviceImage& before,
                                         std::span<const std::byte> after,
                                         const judge::ReferenceValues* values = nullptr);

  /// Of a launch that is taken to be honest (judge::output_errors). Nothing where a device cannot compare.
  std::optional<std::map<std::string, double>> errors(const Executable& executable,
                                                      const judge::ReferenceJob& reference, const DeviceImage& before,
                                                      std::span<const std::byte> after,
                                                      const judge::ReferenceValues* values = nullptr);

 private:
  struct Compared {
    LaunchComparison comparison;
    LaunchNumbers numbers;
  };
  std::optional<Compared> compare(const Executable& executable, const judge::ReferenceJob& reference,
                                  const DeviceImage& before, std::span<const std::byte> after,
                                  const judge::ReferenceValues* values);
  void check_draw(const Executable& executable, const Argument& argument, std::uint64_t seed, const std::string& form,
                  const DeviceImage& image);
  std::unique_ptr<DeviceJudge> device_;
};

}  // namespace harness
