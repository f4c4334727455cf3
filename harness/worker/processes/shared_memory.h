#pragma once
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>

namespace harness {

/// Anonymous memory that can be handed to another process as a file descriptor. Owns the mapping and the descriptor,
/// alone or with those who hold the same memory (MemoryPool, MappedMemory).
class SharedMemory {
 public:
  class Mapping;

  SharedMemory() = default;
  explicit SharedMemory(std::size_t bytes);                           // zero-filled; throws Error(environment)
  SharedMemory(int descriptor, std::size_t bytes);                    // takes the descriptor over and maps it
  SharedMemory(std::shared_ptr<Mapping> mapping, std::size_t bytes);  // its first `bytes`
  SharedMemory(SharedMemory&&) noexcept = default;
  SharedMemory& operator=(SharedMemory&&) noexcept = default;

  std::span<std::byte> bytes() const;
  SharedMemory copy() const;                    // other memory with the same bytes
  SharedMemory first(std::size_t bytes) const;  // the same memory, of which as many are used
  int descriptor() const;

 private:
  std::shared_ptr<Mapping> mapping_;
  std::size_t size_ = 0;
};

/// Bytes that may stay in memory for another use: an eighth of the machine's, from 2 to 16 GiB. An image that does not
/// stay (one of a layer of experts has gigabytes) is cleared, mapped and pinned anew for every launch.
std::size_t kept_image_bytes();

/// Memory that is used again after it was given up: the system clears new pages, and processes that know the memory
/// have it mapped. It holds what its last user left. The pool may go before what was taken of it.
class MemoryPool {
 public:
  /// At most `most_bytes` wait here for another use.
  explicit MemoryPool(std::size_t most_bytes = kept_image_bytes());
  ~MemoryPool();
  MemoryPool(MemoryPool&&) noexcept;
  SharedMemory take(std::size_t bytes);

 private:
  struct Waiting;
  std::shared_ptr<Waiting> waiting_;
};

/// The other end of a pool: maps descriptors, and knows the memory again behind a descriptor that comes later. What it
/// maps is prepared once by `prepare`, and held by what that returns until it is unmapped.
class MappedMemory {
 public:
  using Prepare = std::function<std::shared_ptr<void>(std::span<std::byte>)>;
  explicit MappedMemory(Prepare prepare) : prepare_(std::move(prepare)) {}
  /// Takes the descriptor over. Throws Error(environment).
  SharedMemory map(int descriptor, std::size_t bytes);

 private:
  Prepare prepare_;
  std::list<std::shared_ptr<SharedMemory::Mapping>> known_;  // the last used first
};

}  // namespace harness
