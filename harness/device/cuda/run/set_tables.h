#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/image.h"
#include "harness/core/value_forms.cuh"

namespace harness::cuda {

/// HarnessRefresh of refreshing_kernels.cu.
struct RefreshWords {
  std::int64_t stride, first, used, shift, images, phase;
  std::uint64_t pair, launch, key0, key1;
  std::uint64_t places;  // the address of an int64 for each set
};

/// HarnessDraw of refreshing_kernels.cu, for a buffer that has a draw.
inline constexpr std::int64_t kDrawWords = 18;
void append_draw(const ImageBuffer& buffer, std::vector<std::int64_t>& words);
/// A harness::ValueForm.
void append_form(const ValueForm& form, std::vector<std::int64_t>& words);
std::int64_t elements_of(const ElementDraw& draw);

/// What the kernels must know of a layout, as words in device memory, one table after the other.
struct SetTables {
  explicit SetTables(const ImageLayout& layout);

  /// A drawn buffer, or an output of which a digest is made.
  struct Entry {
    std::int64_t elements = 0;  // or bytes
    std::int64_t slot = 0;      // outputs: the first of its words in a digest
    double agreement = 0;
  };

  std::vector<std::int64_t> words;  // ranges to copy, draws, outputs, relocations
  std::int64_t ranges = 0, relocations = 0;
  std::vector<Entry> draws, outputs;
  std::int64_t copied_bytes = 0;
  std::int64_t digest_words = 0;  // of a set

  // Where the tables begin, in bytes.
  std::int64_t draws_at() const { return 8 * 2 * ranges; }
  std::int64_t outputs_at() const;
  std::int64_t relocations_at() const;
  std::int64_t bytes() const { return 8 * static_cast<std::int64_t>(words.size()); }

  /// Whether two launches on one draw left the same, by the words of their digests.
  bool agree(std::span<const std::uint64_t> one, std::span<const std::uint64_t> other) const;
};

}  // namespace harness::cuda
