#include "harness/judge/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "harness/core/error.h"
#include "harness/judge/element_draw.h"

namespace harness::judge {
namespace {

constexpr std::int64_t kBaseAlign = kPageBytes;
constexpr std::int64_t kPointerBytes = 8;

std::int64_t bytes_of(const Argument& a) {
  const std::int64_t units = (span_elements(a) + elements_per_unit(a.dtype) - 1) / elements_per_unit(a.dtype);
  return units * storage_bytes(a.dtype);
}

/// The first offset from `from` on that is aligned to `align` and, below the base's own alignment, no better.
std::int64_t aligned_exactly(std::int64_t from, std::int64_t align) {
  if (align == kBaseAlign) return (from + align - 1) / align * align;
  const std::int64_t step = 2 * align;
  return (std::max<std::int64_t>(from - align, 0) + step - 1) / step * step + align;
}

class Placement {
 public:
  ImageBuffer& place(const std::string& name, std::int64_t bytes, std::int64_t align, bool restored) {
    if (align > kBaseAlign || !std::has_single_bit(static_cast<std::uint64_t>(align))) {
      throw bad_input(fmt::format("buffer '{}' asks for an alignment of {} bytes; use a power of two up to {}", name,
                                  align, kBaseAlign));
    }
    const std::int64_t offset = aligned_exactly(end_ + kGuardBytes, align);
    layout.buffers.push_back({name, offset, bytes, restored});
    end_ = offset + bytes;
    return layout.buffers.back();
  }

  /// In pages of its own, and so that its end is as near to the end of them as its alignment allows. The page behind
  /// them is closed.
  ImageBuffer& place_alone(const std::string& name, std::int64_t bytes, std::int64_t align) {
    const std::int64_t first = in_pages(end_), step = align == kBaseAlign ? align : 2 * align;
    const std::int64_t close = in_pages(first + kGuardBytes + step + bytes);
    place(name, bytes, align, false);
    ImageBuffer& buffer = layout.buffers.back();
    buffer.offset += (close - bytes - buffer.offset) / step * step;
    end_ = close + kPageBytes;
    layout.read_only.push_back({first, close - first});
    layout.closed.push_back({close, kPageBytes});
    return buffer;
  }

  void close() { layout.bytes = (end_ + kGuardBytes + kBaseAlign - 1) / kBaseAlign * kBaseAlign; }

  ImageLayout layout;

 private:
  static std::int64_t in_pages(std::int64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }
  std::int64_t end_ = 0;
};

std::int64_t unit_offset(const Argument& whole, std::int64_t element) {
  return element / elements_per_unit(whole.dtype) * storage_bytes(whole.dtype);
}

/// The tensor that a view or an array of pointers refers to, and its buffer.
std::pair<const Argument*, ImageBuffer> whole_of(const Problem& problem, const ImageLayout& layout, const Argument& a) {
  const Argument* whole = find_argument(problem, a.of);
  const ImageBuffer* buffer = find_buffer(layout, a.of);
  if (whole == nullptr || buffer == nullptr) {
    throw bad_input(
        fmt::format("argument '{}' refers to '{}', which is no tensor with memory here; name one", a.name, a.of));
  }
  return {whole, *buffer};
}

ImageBuffer view_buffer(const Problem& problem, const ImageLayout& layout, const Argument& view) {
  const auto [whole, buffer] = whole_of(problem, layout, view);
  const std::int64_t offset = unit_offset(*whole, view.offset), bytes = bytes_of(view);
  if (view.offset < 0 || offset + bytes > buffer.bytes) {
    throw bad_input(fmt::format("view '{}' ends at byte {} of '{}', which has {}; correct its offset, shape or strides",
                                view.name, offset + bytes, view.of, buffer.bytes));
  }
  return {view.name, buffer.offset + offset, bytes, false};
}

void relocate(const Problem& problem, const Argument& pointers, ImageLayout& layout) {
  const auto [whole, buffer] = whole_of(problem, layout, pointers);
  std::int64_t at = find_buffer(layout, pointers.name)->offset;
  for (const std::int64_t element : pointers.offsets) {
    const std::int64_t offset = unit_offset(*whole, element);
    if (element < 0 || offset > buffer.bytes) {
      throw bad_input(fmt::format("pointer to element {} of '{}' in '{}' leaves the tensor; correct its offset",
                                  element, pointers.of, pointers.name));
    }
    layout.relocations.push_back({at, buffer.offset + offset});
    at += kPointerBytes;
  }
}

}  // namespace

ImageLayout make_layout(const Problem& problem, const Plan& plan) {
  constexpr std::int64_t kDefaultAlign = 16;
  Placement placement;
  const auto align_of = [](const Argument& a) {
    const std::int64_t align = a.align == 0 ? kDefaultAlign : a.align;
    return is_tensor(a.kind) ? std::max<std::int64_t>(align, storage_bytes(a.dtype)) : align;
  };
  const auto is_plain_input = [](const Argument& a) { return a.kind == ArgumentKind::input && bytes_of(a) > 0; };
  for (const Argument& a : problem.arguments)
    if (!a.absent && is_plain_input(a))
      placement.place_alone(a.name, bytes_of(a), align_of(a)).draw = element_draw(problem, a);
  for (const Argument& a : problem.arguments) {
    const std::int64_t align = align_of(a);
    if (a.absent || is_plain_input(a)) continue;
    if (is_tensor(a.kind)) {
      const bool restored = a.kind == ArgumentKind::inout;
      ImageBuffer& placed = placement.place(a.name, bytes_of(a), align, restored);
      placed.draw = element_draw(problem, a);
      placed.agreement = agreement_with_itself(problem, a);
    } else if (a.kind == ArgumentKind::pointers) {
      const auto entries = static_cast<std::int64_t>(a.offsets.size());
      placement.place(a.name, entries * kPointerBytes, std::max(align, kPointerBytes), false);
    }
  }
  for (const Workspace& w : plan.workspaces) placement.place(w.name, w.bytes, w.align == 0 ? 256 : w.align, w.zeroed);
  placement.close();
  for (ImageBuffer& buffer : placement.layout.buffers)
    if (std::ranges::find(plan.constants, buffer.name, &ConstantTable::from) != plan.constants.end()) {
      buffer.constant = true;
      buffer.draw.reset();  // a module has one such variable, and calls that are timed together read it
    }
  ImageLayout layout = std::move(placement.layout);
  for (const Argument& a : problem.arguments) {
    if (a.kind == ArgumentKind::view && !a.absent) layout.buffers.push_back(view_buffer(problem, layout, a));
  }
  for (const Argument& a : problem.arguments) {
    if (a.kind == ArgumentKind::pointers && !a.absent) relocate(problem, a, layout);
  }
  return layout;
}

}  // namespace harness::judge
