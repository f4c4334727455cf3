#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace harness::cpu {

/// `body(lane)` for each of these lanes, a bit each, in their order.
template <typename Body>
void each_lane(std::uint32_t lanes, Body body) {
  for (; lanes != 0; lanes &= lanes - 1) body(static_cast<std::size_t>(std::countr_zero(lanes)));
}

/// One access of the lanes of a warp, as an instruction makes it. Each lane accesses `bytes` (1 to 16) at its address.
struct Request {
  std::uint32_t lanes = 0;  // that take part
  std::uint32_t bytes = 0;
  std::array<std::uint64_t, 32> address;  // of those lanes; the others' say nothing
};

/// Different numbers, at most two for each lane of a warp.
class FewNumbers {
 public:
  /// False: it is known already.
  bool add(std::uint64_t number);
  /// It is larger than all others, of which there are fewer than 64.
  void append(std::uint64_t number) { numbers_[static_cast<std::size_t>(size_++)] = largest_ = number; }
  /// Each is this much larger; what exceeds 64 bits wraps.
  void shift(std::uint64_t by) {
    for (int i = 0; i < size_; ++i) numbers_[static_cast<std::size_t>(i)] += by;
    largest_ += by;
  }
  int size() const { return size_; }
  const std::uint64_t* begin() const { return numbers_.data(); }
  const std::uint64_t* end() const { return numbers_.data() + size_; }

 private:
  std::array<std::uint64_t, 64> numbers_;
  std::uint64_t largest_ = 0;
  int size_ = 0;
};

inline constexpr std::uint64_t kSectorBytes = 32;

/// The numbers (address / 32) of the sectors that a request touches, in the order of its lanes.
FewNumbers sectors_of(const Request& request);
/// Of requests of which each is `step` bytes (modulo 2^64) further than the one before: how many from this one on touch
/// the sectors that it touches.
std::uint64_t with_same_sectors(const Request& request, std::uint64_t step);
/// Bytes that it asks for; what several lanes read counts once.
std::int64_t different_bytes(const Request& request);

/// Passes through the 32 banks of 4 bytes. Lanes go together: all 32 where each accesses 4 bytes or fewer, 16 of 8
/// bytes, 8 of 16; twice as many of 8 or 16 bytes where each wants what its neighbour wants, or the next but one. Of
/// those, words in one bank take a pass each; a word that several lanes want takes one.
/// Source: CUDA C++ Programming Guide, 16.4.3 "Shared Memory"; wider accesses as an H200's counters show them
/// (docs/profile.md).
struct SharedPasses {
  int all = 0;
  int least = 0;  // with no conflict
};
SharedPasses shared_passes(const Request& request);

/// Constant memory hands a warp one word of 4 bytes at a time: how many different ones its lanes ask for.
int constant_words(const Request& request);

/// Atomic operations on one address take turns: the most lanes that want the same one.
int atomic_turns(const Request& request);

}  // namespace harness::cpu
