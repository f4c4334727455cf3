#pragma once
#include <cstddef>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace harness::judge {

/// Memory for large arrays that somebody fills right away: on large pages where the system has them, so that hundreds
/// of megabytes cost their bytes and not a hundred thousand page faults. Throws std::bad_alloc.
void* allocate_uncleared(std::size_t bytes);
void free_uncleared(void* memory) noexcept;

/// Leaves numbers unset that a std::vector would set to zero first.
template <typename T>
struct Uncleared {
  using value_type = T;
  Uncleared() = default;
  template <typename U>
  Uncleared(const Uncleared<U>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(allocate_uncleared(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t) noexcept { free_uncleared(memory); }
  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const Uncleared&) const { return true; }
};

using Bytes = std::vector<std::byte, Uncleared<std::byte>>;

/// On as many threads as that is worth. The two do not overlap; sizes that differ are a std::length_error.
void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to);
Bytes copy_of(std::span<const std::byte> bytes);

}  // namespace harness::judge
