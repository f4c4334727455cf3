#pragma once
#include <array>
#include <cstddef>
#include <new>
#include <utility>

namespace harness::script {

/// Memory for small blocks, of which a Lua state has thousands: each size has its list of freed ones, and new ones are
/// cut from chunks, which are given back when all of it ends. Allocating one takes a few instructions.
class SmallBlocks {
 public:
  static constexpr std::size_t kLargest = 256;

  SmallBlocks() = default;
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;
  ~SmallBlocks() {
    while (chunks_ != nullptr) ::operator delete(std::exchange(chunks_, chunks_->next));
  }

  /// Of 1 to kLargest bytes; nullptr where there is no memory.
  void* allocate(std::size_t size) noexcept {
    Freed*& freed = freed_[(size - 1) / kStep];
    if (freed != nullptr) return std::exchange(freed, freed->next);
    const std::size_t whole = (size + kStep - 1) / kStep * kStep;
    if (left_ < whole && !add_chunk()) return nullptr;
    left_ -= whole;
    return std::exchange(next_, next_ + whole);
  }
  /// `size` is that with which it was allocated.
  void deallocate(void* block, std::size_t size) noexcept {
    Freed*& freed = freed_[(size - 1) / kStep];
    freed = new (block) Freed{freed};
  }

 private:
  static constexpr std::size_t kStep = alignof(std::max_align_t), kChunk = 32 << 10;
  struct Freed {
    Freed* next;
  };
  struct alignas(kStep) Chunk {
    Chunk* next;
  };

  bool add_chunk() noexcept {
    void* memory = ::operator new(sizeof(Chunk) + kChunk, std::nothrow);
    if (memory == nullptr) return false;
    chunks_ = new (memory) Chunk{chunks_};
    next_ = static_cast<std::byte*>(memory) + sizeof(Chunk);
    left_ = kChunk;
    return true;
  }

  std::array<Freed*, kLargest / kStep> freed_{};
  Chunk* chunks_ = nullptr;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace harness::script
