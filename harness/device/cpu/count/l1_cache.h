#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace harness::cpu {

/// The part of an L1 that a block has to itself: lines of 128 bytes whose 4 sectors come one by one, 8 to a set, the
/// longest unused gives way. Real caches are shared by the blocks of a multiprocessor and choose less well.
class L1Cache {
 public:
  /// Empties it.
  void begin(std::int64_t bytes);
  /// A load of one sector (address / 32). Whether it was there; it is afterwards.
  bool load(std::uint64_t sector);

 private:
  static constexpr std::size_t kWays = 8;
  static constexpr std::int64_t kLineBytes = 128;
  struct Line {
    std::uint64_t tag = ~0ull;
    std::uint32_t used = 0;
    std::uint8_t sectors = 0;  // a bit for each that is there
  };
  std::vector<std::array<Line, kWays>> sets_;
  std::uint32_t now_ = 0;
};

}  // namespace harness::cpu
