#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/image.h"
#include "harness/core/launch_comparison.h"
#include "harness/core/value_forms.cuh"

namespace harness {

/// An image in a device's memory, as it was painted.
class DeviceImage {
 public:
  virtual ~DeviceImage() = default;
};

/// judge::paint in parts: what a device draws by itself (ImageBuffer::draw), and what it is given.
struct PaintOrder {
  const ImageLayout* layout = nullptr;
  std::uint64_t pattern_seed = 0, pattern_stream = 0;  // of every byte that nothing below covers
  FreshSeeds seeds;
  std::vector<ByteRange> zeroed;
  std::vector<std::pair<std::int64_t, std::span<const std::byte>>> given;  // offset, payload
  std::vector<std::pair<std::int64_t, ValueForm>> forms;                   // of the input at that offset
};

/// A launch to be looked at: the image as it was painted and as the launch left it, and what computes the reference:
/// inputs go from the painted image into an image of the reference's own layout, filled with 0xff.
struct JudgedLaunch {
  const DeviceImage* before = nullptr;
  std::span<const std::byte> after;  // copied before anything is looked at
  const Executable* reference = nullptr;
  struct Copied {
    std::int64_t from = 0, to = 0, bytes = 0;
  };
  std::vector<Copied> inputs;
  /// What the reference leaves, where something else has computed it: offsets in its image. Then it is not launched.
  std::vector<std::pair<std::int64_t, std::span<const std::byte>>> given;
  const LaunchComparison* comparison = nullptr;
};

/// The judge's hands on a device: draws, references and sums over elements, in the judge's process and a context that
/// no candidate shares. It decides nothing. Not thread-safe. Throws as Session::run does.
class DeviceJudge {
 public:
  virtual ~DeviceJudge() = default;
  virtual std::unique_ptr<DeviceImage> paint(const PaintOrder& order) = 0;
  virtual std::unique_ptr<DeviceImage> upload(std::span<const std::byte> image) = 0;
  virtual void read(const DeviceImage& image, std::span<std::byte> into) = 0;
  /// Units of `width` bytes (1, 2, 4, 8) at these offsets, as numbers.
  virtual std::vector<std::uint64_t> gather(const DeviceImage& image, std::span<const std::int64_t> places,
                                            std::int64_t width) = 0;
  /// As Session::hold.
  virtual std::shared_ptr<void> hold(std::span<std::byte>) { return nullptr; }
  virtual LaunchNumbers compare(const JudgedLaunch& launch) = 0;
};

}  // namespace harness
