#include "harness/device/cuda/run/set_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace harness::cuda {
namespace {

constexpr std::int64_t kOutputWords = 5;  // of HarnessOutput
constexpr std::int64_t kSketchWords = 9;  // the sum of squares, and eight with random signs
constexpr std::int64_t kChunk = 16;       // what a thread of harness_copy moves

/// No byte of the buffer is left over by its draw.
bool covers(const ImageBuffer& buffer) {
  return buffer.draw && elements_of(*buffer.draw) * storage_bytes(buffer.draw->dtype) == buffer.bytes;
}

/// What lies outside of the buffers that are drawn whole, in chunks; those at the seams are drawn over afterwards.
std::vector<std::int64_t> ranges_to_copy(const ImageLayout& layout) {
  std::vector<std::int64_t> ranges;
  std::int64_t begin = 0;
  const auto add = [&](std::int64_t end) {
    const std::int64_t from = begin / kChunk * kChunk, to = (end + kChunk - 1) / kChunk * kChunk;
    if (from < to) ranges.insert(ranges.end(), {from, to});
  };
  for (const ImageBuffer& buffer : layout.buffers) {
    if (!covers(buffer)) continue;
    add(buffer.offset);
    begin = buffer.offset + buffer.bytes;
  }
  add(layout.bytes);
  return ranges;
}

}  // namespace

std::int64_t elements_of(const ElementDraw& draw) {
  std::int64_t count = 1;
  for (const std::int64_t extent : draw.extents) count *= extent;
  return count;
}

void append_draw(const ImageBuffer& buffer, std::vector<std::int64_t>& words) {
  const ElementDraw& d = *buffer.draw;
  words.insert(words.end(),
               {buffer.offset, static_cast<std::int64_t>(d.kind), static_cast<std::int64_t>(d.dtype), d.poison ? 1 : 0,
                static_cast<std::int64_t>(d.stream), std::bit_cast<std::int64_t>(d.scale),
                std::bit_cast<std::int64_t>(d.offset), d.lo, static_cast<std::int64_t>(d.range), elements_of(d)});
  for (const auto* numbers : {&d.extents, &d.strides})
    for (std::size_t k = 0; k < kMostDrawDimensions; ++k)
      words.push_back(k < numbers->size() ? (*numbers)[k] : numbers == &d.extents ? 1 : 0);
}

void append_form(const ValueForm& form, std::vector<std::int64_t>& words) {
  const auto bits = std::bit_cast<std::array<std::int64_t, sizeof form / sizeof(std::int64_t)>>(form);
  words.insert(words.end(), bits.begin(), bits.end());
}

SetTables::SetTables(const ImageLayout& layout) : words(ranges_to_copy(layout)) {
  ranges = static_cast<std::int64_t>(words.size()) / 2;
  for (std::int64_t i = 0; i < ranges; ++i)
    copied_bytes += words[static_cast<std::size_t>(2 * i + 1)] - words[static_cast<std::size_t>(2 * i)];
  for (const ImageBuffer& buffer : layout.buffers) {
    if (!buffer.draw) continue;
    append_draw(buffer, words);
    draws.push_back({elements_of(*buffer.draw), 0, 0});
  }
  for (const ImageBuffer& buffer : layout.buffers) {
    if (!buffer.agreement || buffer.bytes == 0) continue;
    const bool exact = *buffer.agreement == 0;
    if (!exact && !buffer.draw) continue;  // of what type it is nobody says
    const std::int64_t dtype = buffer.draw ? static_cast<std::int64_t>(buffer.draw->dtype) : 0;
    words.insert(words.end(), {buffer.offset, buffer.offset + buffer.bytes, dtype, digest_words, exact ? 1 : 0});
    outputs.push_back({buffer.bytes, digest_words, *buffer.agreement});
    digest_words += exact ? 1 : kSketchWords;
  }
  for (const Relocation& r : layout.relocations) words.insert(words.end(), {r.at, r.target});
  relocations = static_cast<std::int64_t>(layout.relocations.size());
}

std::int64_t SetTables::outputs_at() const {
  return draws_at() + 8 * kDrawWords * static_cast<std::int64_t>(draws.size());
}

std::int64_t SetTables::relocations_at() const {
  return outputs_at() + 8 * kOutputWords * static_cast<std::int64_t>(outputs.size());
}

bool SetTables::agree(std::span<const std::uint64_t> one, std::span<const std::uint64_t> other) const {
  // Of a mean of eight squares; by chance an honest kernel exceeds twice its distance once in ten thousand.
  constexpr double kChance = 2.5;
  return std::ranges::all_of(outputs, [&](const Entry& output) {
    const auto slot = static_cast<std::size_t>(output.slot);
    if (output.agreement == 0) return one[slot] == other[slot];
    double squares = 0;
    for (std::size_t k = 1; k < kSketchWords; ++k)
      squares += std::pow(std::bit_cast<double>(one[slot + k]) - std::bit_cast<double>(other[slot + k]), 2) / 8;
    const double size = std::max(std::bit_cast<double>(one[slot]), std::bit_cast<double>(other[slot]));
    return std::sqrt(squares) <= kChance * output.agreement * std::sqrt(size);
  });
}

}  // namespace harness::cuda
