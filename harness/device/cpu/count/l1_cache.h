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
  struct Set {
    std::array<std::uint64_t, kWays> tag;
    std::array<std::uint32_t, kWays> used{};
    std::array<std::uint8_t, kWays> sectors{};  // a bit for each that is there
    std::size_t last = 0;                       // the way that was used last: mostly the one that is wanted next
  };
  Set& set_of(std::uint64_t line);

  std::vector<Set> sets_;
  std::uint64_t inverse_ = 0;  // 2^64 / sets, rounded up
  std::uint32_t now_ = 0;
};

}  // namespace harness::cpu
