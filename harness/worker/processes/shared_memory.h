#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace harness {

/// Anonymous memory that can be handed to another process as a file descriptor. Owns the mapping and the descriptor.
class SharedMemory {
 public:
  SharedMemory() = default;
  explicit SharedMemory(std::size_t bytes);         // zero-filled; throws Error(environment)
  SharedMemory(int descriptor, std::size_t bytes);  // takes the descriptor over and maps it
  SharedMemory(SharedMemory&& other) noexcept { swap(other); }
  SharedMemory& operator=(SharedMemory&& other) noexcept {
    swap(other);
    return *this;
  }
  ~SharedMemory();

  std::span<std::byte> bytes() const { return {data_, size_}; }
  SharedMemory copy() const;  // other memory with the same bytes
  int descriptor() const { return descriptor_; }

 private:
  void swap(SharedMemory& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(descriptor_, other.descriptor_);
  }
  void map();
  [[noreturn]] void fail(const std::string& sentence);
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace harness
