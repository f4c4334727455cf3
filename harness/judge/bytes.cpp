#include "harness/judge/bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "harness/judge/indexing.h"

namespace harness::judge {
namespace {
constexpr std::size_t kLargePage = std::size_t{2} << 20;
}  // namespace

void* allocate_uncleared(std::size_t bytes) {
  void* memory = nullptr;
  if (bytes < 2 * kLargePage) {
    memory = std::malloc(bytes == 0 ? 1 : bytes);
  } else {
    const std::size_t whole_pages = (bytes + kLargePage - 1) / kLargePage * kLargePage;
    memory = std::aligned_alloc(kLargePage, whole_pages);
    if (memory != nullptr) madvise(memory, whole_pages, MADV_HUGEPAGE);  // a wish: nothing is lost where it is refused
  }
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void free_uncleared(void* memory) noexcept {
  std::free(memory);
}

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to) {
  if (from.size() != to.size()) throw std::length_error("bytes are copied to memory of another size");
  constexpr std::int64_t kPiece = 1 << 16;
  const auto size = static_cast<std::int64_t>(from.size());
  parallel_ranges((size + kPiece - 1) / kPiece, threads_for(size / 16), [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t first = begin * kPiece, last = std::min(end * kPiece, size);
    if (first < last) std::memcpy(to.data() + first, from.data() + first, static_cast<std::size_t>(last - first));
  });
}

Bytes copy_of(std::span<const std::byte> bytes) {
  Bytes copy(bytes.size());
  copy_bytes(bytes, copy);
  return copy;
}

}  // namespace harness::judge
