#pragma once
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace harness::judge {

/// Memory for large arrays that somebody fills right away: on large pages where the system has them, so that hundreds
/// of megabytes cost their bytes and not a hundred thousand page faults. Throws std::bad_alloc.
void* allocate_uncleared(std::size_t bytes);
void free_uncleared(void* memory) noexcept;

/// An array whose elements are not set: a std::vector would visit each of them first.
template <typename T>
class Uncleared {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  using value_type = T;
  Uncleared() = default;
  explicit Uncleared(std::size_t count) : data_(allocate(count)), size_(count) {}
  Uncleared(const Uncleared& other) : Uncleared(other.size_) {
    if (size_ > 0) std::memcpy(data_.get(), other.data_.get(), size_ * sizeof(T));
  }
  Uncleared(Uncleared&& other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, std::size_t{0})) {}
  Uncleared& operator=(Uncleared other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  struct Free {
    void operator()(T* memory) const noexcept { free_uncleared(memory); }
  };
  static T* allocate(std::size_t count) { return static_cast<T*>(allocate_uncleared(count * sizeof(T))); }
  std::unique_ptr<T[], Free> data_;
  std::size_t size_ = 0;
};

using Bytes = Uncleared<std::byte>;

/// On as many threads as that is worth. The two do not overlap; sizes that differ are a std::length_error.
void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to);
Bytes copy_of(std::span<const std::byte> bytes);

}  // namespace harness::judge
