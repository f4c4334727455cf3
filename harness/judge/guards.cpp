#include "harness/judge/guards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "harness/core/gates.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"

namespace harness::judge {
namespace {

using View = std::span<const std::byte>;

bool same(View a, View b) {
  return a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0;
}

/// First and last place in [begin, end) where the images differ.
std::optional<std::pair<std::int64_t, std::int64_t>> damage(View before, View after, std::int64_t begin,
                                                            std::int64_t end) {
  if (same(before.subspan(begin, end - begin), after.subspan(begin, end - begin))) return std::nullopt;
  std::int64_t first = begin, last = end - 1;
  while (before[first] == after[first]) ++first;
  while (before[last] == after[last]) --last;
  return std::pair(first, last);
}

std::vector<ImageBuffer> owned_buffers(const Problem& problem, const ImageLayout& layout) {
  std::vector<ImageBuffer> owned;
  for (const ImageBuffer& b : layout.buffers) {
    const Argument* a = find_argument(problem, b.name);
    if (a == nullptr || a->kind != ArgumentKind::view) owned.push_back(b);
  }
  return owned;
}

/// The damage in the gap between two neighbours, told from the nearer one.
std::string gap_damage(const ImageBuffer* left, const ImageBuffer* right, std::int64_t first, std::int64_t last) {
  const std::int64_t past = left == nullptr ? INT64_MAX : first - (left->offset + left->bytes);
  const std::int64_t ahead = right == nullptr ? INT64_MAX : right->offset - last;
  if (past < ahead) return fmt::format("something wrote {} bytes past the end of '{}'", past + 1, left->name);
  return fmt::format("something wrote {} bytes before the start of '{}'", ahead, right->name);
}

std::optional<std::string> damaged_gap(const std::vector<ImageBuffer>& owned, std::int64_t bytes, View before,
                                       View after) {
  std::int64_t begin = 0;
  for (std::size_t i = 0; i <= owned.size(); ++i) {
    const std::int64_t end = i < owned.size() ? owned[i].offset : bytes;
    const ImageBuffer* left = i == 0 ? nullptr : &owned[i - 1];
    const ImageBuffer* right = i < owned.size() ? &owned[i] : nullptr;
    if (const auto written = damage(before, after, begin, end))
      return gap_damage(left, right, written->first, written->second);
    if (right != nullptr) begin = right->offset + right->bytes;
  }
  return std::nullopt;
}

std::optional<std::string> damaged_padding(const Argument& a, View before, View after) {
  const Indexer indexer(a);
  if (indexer.dense() || same(before, after)) return std::nullopt;
  const auto size = static_cast<std::size_t>(storage_bytes(a.dtype));
  std::vector<bool> element(before.size() / size, false);
  indexer.for_elements(0, indexer.count(), [&](std::int64_t, std::int64_t storage) { element[storage] = true; });
  for (std::size_t i = 0; i < element.size(); ++i) {
    if (element[i] || same(before.subspan(i * size, size), after.subspan(i * size, size))) continue;
    return fmt::format("something wrote into the padding of '{}', {} elements after its start", a.name, i);
  }
  return std::nullopt;
}

/// Of a ragged output: elements outside the valid rows.
std::optional<std::string> damaged_outside(const Problem& problem, const ImageLayout& layout, const Argument& a,
                                           View before, View after) {
  const Argument* lengths = find_argument(problem, a.valid_rows);
  if (lengths == nullptr || a.shape.size() < 2 || a.outside != "untouched") return std::nullopt;
  const auto valid = load_integers(*lengths, layout, before);
  const View was = payload(layout, a.name, before), is = payload(layout, a.name, after);
  const Indexer indexer(a);
  const std::int64_t size = storage_bytes(a.dtype);
  const std::int64_t outer = indexer.count() / std::max<std::int64_t>(1, a.shape[0]);
  const std::int64_t inner = outer / std::max<std::int64_t>(1, a.shape[1]);
  std::optional<std::string> trouble;
  for (std::int64_t first = 0; first < a.shape[0] && outer > 0 && !trouble; ++first) {
    const std::int64_t begin = first * outer + std::max<std::int64_t>(0, valid[first]) * inner;
    indexer.for_elements(std::min(begin, (first + 1) * outer), (first + 1) * outer,
                         [&](std::int64_t logical, std::int64_t storage) {
                           if (trouble || same(was.subspan(storage * size, size), is.subspan(storage * size, size)))
                             return;
                           trouble = fmt::format("something wrote to '{}'{}, outside its {} valid rows", a.name,
                                                 index_text(indexer.index(logical)), valid[first]);
                         });
  }
  return trouble;
}

std::optional<std::string> changed_input(const Argument& a, View before, View after) {
  if (same(before, after)) return std::nullopt;
  const Indexer indexer(a);
  const std::int64_t size = storage_bytes(a.dtype);
  std::optional<std::string> trouble;
  indexer.for_elements(0, indexer.count(), [&](std::int64_t logical, std::int64_t storage) {
    if (trouble || same(before.subspan(storage * size, size), after.subspan(storage * size, size))) return;
    trouble = fmt::format("input '{}'{} changed from {} to {}", a.name, index_text(indexer.index(logical)),
                          load_as_double(a.dtype, before.data() + storage * size),
                          load_as_double(a.dtype, after.data() + storage * size));
  });
  return trouble;
}

std::int64_t pointer_at(View image, std::int64_t at) {
  std::int64_t value = 0;
  std::memcpy(&value, image.data() + at, sizeof value);
  return value;
}

std::optional<std::string> changed_pointers(const ImageLayout& layout, View before, View after) {
  std::optional<std::int64_t> base;
  for (const Relocation& r : layout.relocations) {
    if (pointer_at(before, r.at) == pointer_at(after, r.at)) continue;
    const std::int64_t own_base = pointer_at(after, r.at) - r.target;
    if (!base) base = own_base;
    if (own_base == *base && own_base % 4096 == 0) continue;
    const auto owner = std::ranges::find_if(
        layout.buffers, [&](const ImageBuffer& b) { return r.at >= b.offset && r.at < b.offset + b.bytes; });
    return fmt::format("pointer {} of '{}' changed", (r.at - owner->offset) / 8, owner->name);
  }
  return std::nullopt;
}

GateResult result(const std::string& name, const std::optional<std::string>& damage, std::string evidence) {
  return {name, !damage.has_value(), damage.value_or(std::move(evidence))};
}

}  // namespace

GateResult guards_intact(const Problem& problem, const ImageLayout& layout) {
  return result(name_of(gate::guard_zones), std::nullopt,
                fmt::format("intact around {} buffers", owned_buffers(problem, layout).size()));
}

GateResult inputs_intact(const Problem& problem) {
  const auto inputs = std::ranges::count_if(
      problem.arguments, [](const Argument& a) { return a.kind == ArgumentKind::input && !a.absent; });
  return result(name_of(gate::inputs_unchanged), std::nullopt, fmt::format("{} inputs as drawn", inputs));
}

GateResult check_guards(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                        std::span<const std::byte> after) {
  const auto owned = owned_buffers(problem, layout);
  auto damage_words = damaged_gap(owned, layout.bytes, before, after);
  for (const Argument& a : problem.arguments) {
    if (damage_words || a.absent || !is_tensor(a.kind)) continue;
    damage_words = damaged_padding(a, payload(layout, a.name, before), payload(layout, a.name, after));
    if (!damage_words && is_judged(a)) damage_words = damaged_outside(problem, layout, a, before, after);
  }
  return damage_words ? result(name_of(gate::guard_zones), damage_words, "") : guards_intact(problem, layout);
}

GateResult check_inputs(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                        std::span<const std::byte> after) {
  std::optional<std::string> change_words;
  for (const Argument& a : problem.arguments) {
    if (a.kind != ArgumentKind::input || a.absent || change_words) continue;
    change_words = changed_input(a, payload(layout, a.name, before), payload(layout, a.name, after));
  }
  if (!change_words) change_words = changed_pointers(layout, before, after);
  return change_words ? result(name_of(gate::inputs_unchanged), change_words, "") : inputs_intact(problem);
}

}  // namespace harness::judge
