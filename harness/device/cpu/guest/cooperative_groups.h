#pragma once
#include "harness_cpu/threads.h"

// Cooperative groups of a block and of tiles of a warp, over the emulation's barriers and shuffles. A group of the
// whole grid waits for other blocks, which this device runs one after the other: it has none.
namespace cooperative_groups {

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  static unsigned thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned size() { return num_threads(); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() {
  return {};
}

/// `Size` neighbouring threads of a warp, at most 32.
template <unsigned Size, class Parent = void>
class thread_block_tile {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0,
                "tiles of more than a warp are not on the cpu device");

 public:
  thread_block_tile() = default;
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>&) {}
  static unsigned thread_rank() { return thread_block::thread_rank() % Size; }
  static constexpr unsigned num_threads() { return Size; }
  static constexpr unsigned size() { return Size; }
  static unsigned meta_group_rank() { return thread_block::thread_rank() / Size; }
  static unsigned meta_group_size() { return (thread_block::num_threads() + Size - 1) / Size; }
  static void sync() { __syncwarp(mask()); }
  template <class T>
  static T shfl(T value, int lane) {
    return __shfl_sync(mask(), value, lane, Size);
  }
  template <class T>
  static T shfl_up(T value, unsigned delta) {
    return __shfl_up_sync(mask(), value, delta, Size);
  }
  template <class T>
  static T shfl_down(T value, unsigned delta) {
    return __shfl_down_sync(mask(), value, delta, Size);
  }
  template <class T>
  static T shfl_xor(T value, int bits) {
    return __shfl_xor_sync(mask(), value, bits, Size);
  }
  static int any(int predicate) { return __any_sync(mask(), predicate); }
  static int all(int predicate) { return __all_sync(mask(), predicate); }
  static unsigned ballot(int predicate) { return __ballot_sync(mask(), predicate) >> first_lane(); }

 private:
  static unsigned first_lane() { return thread_block::thread_rank() % 32 / Size * Size; }
  static unsigned mask() { return (Size == 32 ? 0xffffffffu : (1u << (Size & 31u)) - 1) << first_lane(); }
};

template <unsigned Size, class Parent>
inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}

/// A block or a tile, as functions take any group.
class thread_group {
 public:
  thread_group(const thread_block&) {}
  template <unsigned Size, class Parent>
  thread_group(const thread_block_tile<Size, Parent>&) : tile_(Size) {}
  unsigned num_threads() const { return tile_ == 0 ? thread_block::num_threads() : tile_; }
  unsigned size() const { return num_threads(); }
  unsigned thread_rank() const { return thread_block::thread_rank() % num_threads(); }
  void sync() const {
    if (tile_ == 0) return thread_block::sync();
    const unsigned first = thread_block::thread_rank() % 32 / tile_ * tile_;
    __syncwarp((tile_ == 32 ? 0xffffffffu : (1u << (tile_ & 31u)) - 1) << first);
  }

 private:
  explicit thread_group(unsigned tile) : tile_(tile) {}
  friend thread_group tiled_partition(const thread_group& parent, unsigned size);
  unsigned tile_ = 0;  // 0: the whole block
};
inline thread_group tiled_partition(const thread_group&, unsigned size) {
  return thread_group(size);
}

template <class T>
struct plus {
  T operator()(const T& a, const T& b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <class T>
struct bit_or {
  T operator()(const T& a, const T& b) const { return a | b; }
};

/// Every lane gets the result.
template <class Tile, class T, class Operation>
inline T reduce(const Tile& tile, T value, Operation operation) {
  for (unsigned bits = Tile::size() / 2; bits > 0; bits /= 2)
    value = operation(value, tile.shfl_xor(value, static_cast<int>(bits)));
  return value;
}

template <class Tile, class T, class Operation>
inline T inclusive_scan(const Tile& tile, T value, Operation operation) {
  for (unsigned delta = 1; delta < Tile::size(); delta *= 2) {
    const T other = tile.shfl_up(value, delta);
    if (tile.thread_rank() >= delta) value = operation(other, value);
  }
  return value;
}

template <class Group>
inline void sync(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
