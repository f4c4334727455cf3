#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "harness/core/image.h"
#include "harness/device/cuda/run/measuring_kernels.h"

namespace harness::cuda {

/// Bytes from one copy of an image to the next: images start at addresses aligned to 4096.
std::int64_t set_stride(std::int64_t image_bytes);

/// Calls that a timed graph has at most.
constexpr std::int64_t kMostCalls = 1000;

/// How many sets to make of an image: together 4 GB, which memory of 8 TB/s delivers in half a millisecond, so that a
/// graph of calls that are bound by memory is long compared with the events around it (2 us), and eight times the L2;
/// as many as a graph can have calls at most, no more than fit into `budget_bytes` beside the 2 * `images` copies that
/// are kept, and one in any case.
std::int64_t count_sets(std::int64_t image_bytes, std::int64_t images, std::int64_t l2_bytes,
                        std::int64_t budget_bytes);

/// Device memory that one contender is timed on: the painted images, pristine; a copy aside for each of them; and the
/// sets, which are made of the pristine images anew before every use.
///
/// A set is made of image (set + phase) modulo their number, with its rotatable buffers rotated by a number that
/// follows from the place, the count of refreshes and two words of the operating system's randomness, which never lie
/// in device memory.
class InputSets {
 public:
  /// `base` has room for bytes_needed(). Enqueues the upload of the images, which are unchanged when it returns.
  /// `layout` and `kernels` must outlive this.
  InputSets(const DriverApi& api, Stream stream, const MeasuringKernels& kernels, DevicePointer base,
            const ImageLayout& layout, std::span<const std::span<std::byte>> images, std::int64_t sets);

  static std::int64_t bytes_needed(const ImageLayout& layout, std::int64_t images, std::int64_t sets);

  std::int64_t count() const { return sets_; }
  std::int64_t images() const { return images_; }
  DevicePointer address(std::int64_t set) const { return place(2 * images_ + set); }
  bool has_restored() const;

  /// Enqueues the refresh of the sets [first, first + count).
  void enqueue_refresh(std::int64_t first, std::int64_t count, std::int64_t phase);
  /// After every timed launch, on the sets [0, used) that were refreshed for it with `phase`: decides by chance which
  /// of them to copy aside, so that in the end each call of each launch was as likely as any other of its image.
  void enqueue_audit(std::int64_t used, std::int64_t phase);
  /// Whether something was copied aside for every image.
  bool audited() const;
  /// Waits, and leaves the copy aside of image k in images[k] without any addresses. Returns their rotations.
  std::vector<std::uint64_t> retrieve(std::span<const std::span<std::byte>> images) const;

  /// The rotation in refresh number `refresh` of a set: what harness_refresh computes.
  static std::uint64_t rotation(const std::array<std::uint64_t, 2>& key, std::uint64_t refresh, std::int64_t set);

 private:
  struct Aside {
    std::int64_t set = 0;
    std::uint64_t rotation = 0;
  };
  DevicePointer place(std::int64_t index) const { return base_ + static_cast<DevicePointer>(index * stride_); }
  std::int64_t tables_at() const { return 2 * images_ + sets_; }

  const DriverApi& api_;
  Stream stream_;
  const MeasuringKernels& kernels_;
  DevicePointer base_;
  const ImageLayout& layout_;
  std::int64_t images_, sets_, stride_;
  std::vector<std::int64_t> rotations_, relocations_;  // as in device memory
  std::array<std::uint64_t, 2> key_;
  std::mt19937_64 chance_;
  std::uint64_t refreshes_ = 0;
  std::vector<std::uint64_t> seen_;  // calls that could have been copied aside, for each image
  std::vector<std::optional<Aside>> aside_;
};

}  // namespace harness::cuda
