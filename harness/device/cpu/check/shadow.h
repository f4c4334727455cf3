#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace harness::cpu {

/// An access that may race with a later one.
struct Access {
  std::uint32_t site = 0;   // offset into the candidate's code
  std::uint32_t block = 0;  // linear index within the launch
  std::uint32_t epoch = 0;  // of the block, see ordering.h; 0: no access
  std::uint32_t clock = 0;  // of the thread within its warp
  std::uint32_t stamp = 0;  // the launch's count of synchronizing events
  std::uint16_t thread = 0;
  std::uint8_t mask = 0;  // which bytes of the granule
  bool atomic = false;
  bool async = false;  // by the async proxy
  bool is_volatile = false;

  bool by_same_thread(const Access& other) const { return thread == other.thread && block == other.block; }
};

/// What is remembered of four bytes of memory. Two writers, so that threads that store neighbouring halves are told
/// apart; two readers, as far from each other as there were any (threads of two warps, of two blocks), because whoever
/// writes later is then likely to be ordered with at most one of them.
struct Granule {
  static constexpr std::size_t kBytes = 4;

  std::array<Access, 2> writers, readers;

  /// Remembers `access`. Entries of an epoch before `first_epoch` are void.
  void note_read(const Access& access, std::uint32_t first_epoch);
  void note_write(const Access& access, std::uint32_t first_epoch);
};

/// An array of zeros that takes memory only where it is touched. T is trivial.
class ZeroPages {
 public:
  ZeroPages() = default;
  explicit ZeroPages(std::size_t bytes);  // throws DeviceMemoryExhausted
  ZeroPages(ZeroPages&& other) noexcept { swap(other); }
  ZeroPages& operator=(ZeroPages&& other) noexcept {
    swap(other);
    return *this;
  }
  ~ZeroPages();

  void* data() const { return data_; }

 private:
  void swap(ZeroPages& other) noexcept;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The granules of a range of memory and which of its bytes have been written.
class Shadow {
 public:
  Shadow() = default;
  explicit Shadow(std::size_t bytes);  // throws DeviceMemoryExhausted

  Granule& granule(std::size_t index) const { return static_cast<Granule*>(granules_.data())[index]; }
  /// A bit for each byte of the granule.
  std::uint8_t& written(std::size_t index) const { return static_cast<std::uint8_t*>(written_.data())[index]; }
  void set_written(std::size_t offset, std::size_t bytes) const;
  void clear_written(std::size_t offset, std::size_t bytes) const;  // whole granules

 private:
  ZeroPages granules_, written_;
};

/// Calls `body(granule index, mask of its bytes)` for the granules that [offset, offset + bytes) touches.
template <typename Body>
void for_each_granule(std::size_t offset, std::size_t bytes, Body body) {
  const std::size_t end = offset + bytes;
  for (std::size_t index = offset / Granule::kBytes; index * Granule::kBytes < end; ++index) {
    const std::size_t start = index * Granule::kBytes;
    unsigned mask = 0xf;
    if (start < offset) mask &= 0xfu << (offset - start);
    if (start + Granule::kBytes > end) mask &= 0xfu >> (start + Granule::kBytes - end);
    body(index, static_cast<std::uint8_t>(mask & 0xf));
  }
}

}  // namespace harness::cpu
