#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness::cpu {

/// The stacks of one host thread's fibers. Address space is reserved once; a stack gets memory when it is touched and
/// keeps it. Below each stack lies a guard page: overflowing a stack is a segmentation fault.
class StackPool {
 public:
  static constexpr std::size_t kStackBytes = 128 * 1024;
#ifdef __aarch64__
  static constexpr std::size_t kGuardBytes = 65536;  // a page of the kernels that have the largest
#else
  static constexpr std::size_t kGuardBytes = 4096;  // a page
#endif

  explicit StackPool(int stacks);
  ~StackPool();
  StackPool(const StackPool&) = delete;
  StackPool& operator=(const StackPool&) = delete;

  /// Makes at least `stacks` usable, at most as many as the constructor was told. Throws DeviceMemoryExhausted.
  void open(int stacks);
  /// Gives the usable stacks their first memory, so that a clock does not see it.
  void touch();
  /// All stacks are free again, whatever ran on them.
  void reset();
  /// A free stack; there must be one.
  int take();
  void give_back(int stack) {
    free_.push_back(stack);
  }
  /// The highest address of a stack. Neighbours differ in their offset within a page, so that the hot ends of a
  /// thousand stacks do not share a few cache sets.
  void* top(int stack) const;
  void* bottom(int stack) const {
    return region_ + kSpan * static_cast<std::size_t>(stack) + kGuardBytes;
  }
  /// The memory that all stacks lie in.
  std::span<const std::byte> memory() const;
  bool contains(std::uintptr_t address) const;

 private:
  static constexpr std::size_t kSpan = kGuardBytes + kStackBytes;  // the lowest page is the guard

  std::byte* region_ = nullptr;
  int stacks_ = 0;
  int opened_ = 0;         // stacks [0, opened_) are usable
  std::vector<int> free_;  // last in, first out
};

}  // namespace harness::cpu
