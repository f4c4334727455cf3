#include "harness/judge/paint.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/random_words.h"

namespace harness::judge {
namespace {

/// Pattern bytes depend on the place in the image alone, so pieces can be painted in any order.
class Pattern {
 public:
  Pattern(std::uint64_t seed, std::span<std::byte> image, int threads)
      : seed_(seed), stream_(pattern_stream()), image_(image), threads_(threads) {}

  void fill(std::int64_t begin, std::int64_t end) const {
    constexpr std::int64_t kBlock = sizeof(random::Words);
    if (begin >= end) return;
    const std::int64_t first = begin / kBlock, last = (end + kBlock - 1) / kBlock;
    parallel_ranges(last - first, threads_, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t block = first + from; block < first + to; ++block) {
        const random::Words bits = random::words(seed_, stream_, block);
        const std::int64_t low = std::max(begin, block * kBlock), high = std::min(end, (block + 1) * kBlock);
        std::memcpy(image_.data() + low, reinterpret_cast<const std::byte*>(&bits) + (low - block * kBlock),
                    high - low);
      }
    });
  }

 private:
  std::uint64_t seed_, stream_;
  std::span<std::byte> image_;
  int threads_;
};

double poisonous_integer(Dtype dtype, random::Words bits) {
  if (dtype == Dtype::b8) return static_cast<double>(2 + random::below(bits, 254));  // neither true nor false
  if (dtype == Dtype::s8) return static_cast<double>(random::below(bits, 256)) - 128;
  if (dtype == Dtype::u8) return static_cast<double>(random::below(bits, 256));
  return static_cast<double>(random::below(bits, 32768));
}

void poison(const Argument& a, std::uint64_t seed, std::span<std::byte> bytes, int threads) {
  const std::uint64_t stream = random::stream_of((a.name + ":poison").c_str());
  const Dtype stored = a.dtype == Dtype::b8 ? Dtype::u8 : a.dtype;
  const bool floating = is_floating(a.dtype);
  fill_elements(Indexer(a), stored, bytes, threads, [&](std::uint64_t first, std::span<double> values) {
    for_random_words(seed, stream, first, values.size(), [&](std::size_t i, random::Words bits) {
      values[i] = floating ? random::normal(bits) : poisonous_integer(a.dtype, bits);
    });
  });
}

/// Everything that no element of a tensor will cover: guards, padding, dirty workspaces, inputs left to the caller.
void paint_pattern(const Problem& problem, const ImageLayout& layout, const Pattern& pattern) {
  std::int64_t end = 0;
  for (const ImageBuffer& buffer : layout.buffers) {
    const Argument* a = find_argument(problem, buffer.name);
    if (a != nullptr && a->kind == ArgumentKind::view) continue;
    pattern.fill(end, buffer.offset);
    end = buffer.offset + buffer.bytes;
    const bool covered =
        a != nullptr && is_tensor(a->kind) && Indexer(*a).dense() && !(a->gen && a->gen->kind == "custom");
    if (!covered) pattern.fill(buffer.offset, end);
  }
  pattern.fill(end, layout.bytes);
}

}  // namespace

void paint(const Problem& problem, const Plan& plan, const ImageLayout& layout, std::uint64_t seed,
           std::span<std::byte> image, const DrawOptions& options) {
  assert(static_cast<std::int64_t>(image.size()) == layout.bytes);
  paint_pattern(problem, layout, Pattern(seed, image, options.threads));
  for (const Workspace& w : plan.workspaces) {
    if (w.zeroed) std::ranges::fill(payload(layout, w.name, image), std::byte{0});
  }
  for (const Relocation& r : layout.relocations) std::memcpy(image.data() + r.at, &r.target, sizeof r.target);
  for (const Argument& a : problem.arguments) {
    if (a.kind != ArgumentKind::output || a.absent) continue;
    const bool fresh = options.fresh && find_buffer(layout, a.name)->draw;
    poison(a, fresh ? options.fresh->poison : seed, payload(layout, a.name, image), options.threads);
  }
  draw_inputs(problem, layout, seed, image, options);
}

std::vector<std::string> paint_rest(const Problem& problem, const ImageLayout& layout, std::uint64_t seed,
                                    std::span<std::byte> image, const std::string& form,
                                    const std::optional<std::uint64_t>& constants) {
  const Pattern pattern(seed, image, 0);
  std::vector<std::string> rest;
  for (const Argument& a : problem.arguments) {
    const bool filled = (a.kind == ArgumentKind::output || is_drawn(a)) && !a.absent;
    const ImageBuffer* const buffer = filled ? find_buffer(layout, a.name) : nullptr;
    const bool by_device =
        a.kind == ArgumentKind::output ? buffer != nullptr && buffer->draw.has_value() : device_draws(layout, a, form);
    if (buffer == nullptr || by_device) continue;
    rest.push_back(a.name);
    pattern.fill(buffer->offset, buffer->offset + buffer->bytes);
    if (a.kind == ArgumentKind::output) poison(a, seed, payload(layout, a.name, image), 0);
  }
  draw_inputs(problem, layout, seed, image, {.form = form, .constants = constants, .rest = true});
  return rest;
}

std::uint64_t pattern_stream() {
  return random::stream_of(":pattern");
}

}  // namespace harness::judge
