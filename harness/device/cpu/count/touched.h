#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "harness/core/counting.h"
#include "harness/core/plan.h"
#include "harness/device/cpu/count/request.h"

namespace harness::cpu {

/// What blocks that are counted do to a sector of the image. Those of several host threads meet here.
class SharedSectors {
 public:
  /// `read`: by a plain load, `added`: by an atomic operation.
  enum Mark : std::uint8_t { touched = 1, loaded = 2, loaded_again = 4, stored = 8, read = 16, added = 32 };

  explicit SharedSectors(std::size_t sectors)
      : size_(sectors), marks_(std::make_unique<std::atomic<std::uint8_t>[]>(sectors)) {}
  std::size_t size() const { return size_; }
  void clear();
  /// What was there before.
  std::uint8_t mark(std::size_t sector, std::uint8_t marks) {
    return marks_[sector].fetch_or(marks, std::memory_order_relaxed);
  }

 private:
  std::size_t size_;
  std::unique_ptr<std::atomic<std::uint8_t>[]> marks_;
};

/// What the blocks that one host thread counts touch of each buffer.
class Touched {
 public:
  enum Access : unsigned { load, store, add };  // add: an atomic operation

  /// `buffers`: of the layout.
  Touched(SharedSectors& shared, const std::vector<ImageBuffer>& buffers);

  /// A block begins that stands for so many.
  void begin(std::int64_t weight) { ++block_, weight_ = weight; }
  /// Beyond the image, of a variable: nothing happens.
  void touch(std::uint64_t sector, Access access) {
    if (sector >= shared_.size()) return;
    std::uint32_t& sector_state = seen(sector);
    if (sector_state >> kBlockShift != block_ || (sector_state & 1u << access) == 0)
      first(sector, access, sector_state);
  }

  /// A block has loaded what another one changes: the order of blocks may matter. That both change it by atomic
  /// operations does not count.
  bool blocks_meet() const { return blocks_meet_; }
  const std::vector<CountedBuffer>& buffers() const { return counted_; }  // by buffer of the layout
  /// They begin at 0 again.
  std::vector<CountedBuffer> take_buffers();

 private:
  // Of a sector: the last block that touched it, what that one has done (a bit for each Access), and whether it began
  // with no store.
  static constexpr std::uint32_t kLoadedFirst = 8, kBlockShift = 4;
  // Most blocks touch little of a large image.
  static constexpr std::size_t kPageSectors = 4096;
  using Page = std::array<std::uint32_t, kPageSectors>;

  std::uint32_t& seen(std::uint64_t sector) {
    std::unique_ptr<Page>& page = pages_[sector / kPageSectors];
    if (!page) page = std::make_unique<Page>();
    return (*page)[sector % kPageSectors];
  }
  void first(std::uint64_t sector, Access access, std::uint32_t& sector_state);
  void meet_adders(std::uint64_t sector, Access access, std::uint32_t sector_state);
  /// The buffer of a sector; buffers_.size(): none.
  std::size_t buffer_of(std::uint64_t sector);

  SharedSectors& shared_;
  const std::vector<ImageBuffer>& buffers_;
  std::vector<std::size_t> order_;  // of those that are no views, ascending
  std::size_t near_ = 0;            // where the last sector was found
  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<CountedBuffer> counted_;
  std::uint32_t block_ = 0;  // counts the blocks, from 1
  std::int64_t weight_ = 0;
  bool blocks_meet_ = false;
};

}  // namespace harness::cpu
