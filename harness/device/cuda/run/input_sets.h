#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <vector>

#include "harness/core/image.h"
#include "harness/device/cuda/run/measuring_kernels.h"
#include "harness/device/cuda/run/set_tables.h"
#include "harness/device/cuda/run/walled_memory.h"

namespace harness::cuda {

/// Bytes that an image takes: images start at addresses aligned to 4096.
std::int64_t set_stride(std::int64_t image_bytes);
/// The most that may lie between two sets.
std::int64_t most_gap(std::int64_t image_bytes);
/// Where so many sets begin, from the first byte on: in an order that `chance` gives, with gaps that it gives.
std::vector<std::int64_t> place_sets(std::int64_t image_bytes, std::int64_t sets, std::mt19937_64& chance);

/// Calls that a timed graph has at most.
constexpr std::int64_t kMostCalls = 1000;

/// How many sets to make of an image: together 4 GB, which memory of 8 TB/s delivers in half a millisecond, so that a
/// graph of calls that are bound by memory is long compared with the events around it (2 us), and eight times the L2;
/// as many as a graph can have calls at most, no more than fit into `budget_bytes` beside `others` copies, and one in
/// any case.
std::int64_t count_sets(std::int64_t image_bytes, std::int64_t others, std::int64_t l2_bytes,
                        std::int64_t budget_bytes);

/// What the sets [first, first + count) are made of for a launch: set s gets draw (s + shift) % used. A draw is the
/// image (draw + phase) % images, with values that follow from the draw and the `pair` of launches it is made for, and
/// poison that follows from the set and the `launch`.
struct DrawnSets {
  std::int64_t first = 0, count = 1, used = 1, shift = 0, phase = 0;
  std::uint64_t pair = 0, launch = 0;

  std::int64_t draw_of(std::int64_t set) const { return (set + shift) % used; }
  std::int64_t set_of(std::int64_t draw) const { return (draw - shift % used + used) % used; }
};

/// Device memory that one contender is timed on: the painted images, pristine, and the sets, which are made of them
/// anew before every launch, each with values of its own. The pristine images, and the tables that say how sets are
/// made of them, can only be read: a contender that stores into them ends with a fault. What a call left goes to the
/// host before the contender runs again: nothing that is judged later lies where it could be mended.
///
/// The seeds follow from two words of the operating system's randomness, which never lie in device memory.
class InputSets {
 public:
  /// `base` has room for bytes_needed(). Enqueues the upload of the images, which are unchanged when it returns.
  /// `layout` and `kernels` must outlive this.
  InputSets(const DriverApi& api, Device device, Stream stream, const MeasuringKernels& kernels, DevicePointer base,
            const ImageLayout& layout, std::span<const std::span<std::byte>> images, std::int64_t sets);

  static std::int64_t bytes_needed(const ImageLayout& layout, std::int64_t sets);

  std::int64_t count() const { return sets_; }
  std::int64_t images() const { return images_; }
  DevicePointer address(std::int64_t set) const {
    return base_ + static_cast<DevicePointer>(places_[static_cast<std::size_t>(set)]);
  }
  bool has_restored() const;
  std::uint64_t chance(std::uint64_t below);  // a number in [0, below) that nobody can know before

  /// Draws that no launch has had, for the sets [first, first + count).
  DrawnSets fresh(std::int64_t first, std::int64_t count, std::int64_t phase);
  /// The same draws for another launch, on sets from `first` on.
  DrawnSets again(const DrawnSets& drawn, std::int64_t first);
  void enqueue_refresh(const DrawnSets& drawn);
  /// Waits. What the launch left in the outputs: for each set of `drawn`, in their order, as many words as tables().
  std::vector<std::uint64_t> digests(const DrawnSets& drawn);
  const SetTables& tables() const { return tables_; }

  /// Waits, and leaves the set as it is in `image`, as if it had never had addresses.
  void retrieve(std::int64_t set, std::span<std::byte> image) const;

  /// What harness_draw draws with.
  FreshSeeds seeds(const DrawnSets& drawn, std::int64_t set) const;
  static FreshSeeds seeds(const std::array<std::uint64_t, 2>& key, const DrawnSets& drawn, std::int64_t set);

 private:
  DevicePointer digests_at() const {
    return base_ + static_cast<DevicePointer>(sets_ * (stride_ + most_gap(layout_.bytes)));
  }
  RefreshWords words(const DrawnSets& drawn) const;

  const DriverApi& api_;
  Stream stream_;
  const MeasuringKernels& kernels_;
  DevicePointer base_;
  const ImageLayout& layout_;
  std::int64_t images_, sets_, stride_;
  SetTables tables_;
  std::array<std::uint64_t, 2> key_;
  std::mt19937_64 chance_;
  std::vector<std::int64_t> places_;                // of the sets: no call knows from its own where others lie
  std::unique_ptr<WalledMemory> pristine_, words_;  // the images; what stands in the tables, and the places
  std::uint64_t pairs_ = 0, launches_ = 0;
};

}  // namespace harness::cuda
