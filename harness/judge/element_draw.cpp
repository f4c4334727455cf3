#include "harness/judge/element_draw.h"

#include <algorithm>

#include "harness/core/generators.h"
#include "harness/judge/elements.h"
#include "harness/judge/generators.h"
#include "harness/judge/indexing.h"
#include "harness/judge/tolerance.h"
#include "kernels/include/harness/random.cuh"

namespace harness::judge {
namespace {

bool names_argument(const Generator& generator, const std::string& argument) {
  return std::ranges::any_of(generator.options, [&](const json& value) {
    if (value.is_array()) return std::ranges::find(value, json(argument)) != value.end();
    return value.is_string() && value.get_ref<const std::string&>() == argument;
  });
}

/// Whether what another argument holds or means depends on the values or the places of this one's elements.
bool is_referred_to(const Problem& problem, const Argument& a) {
  return std::ranges::any_of(problem.arguments, [&](const Argument& other) {
    if (&other == &a) return false;
    if (other.gen && names_argument(*other.gen, a.name)) return true;
    return other.valid_rows == a.name || (other.kind == ArgumentKind::pointers && other.of == a.name);
  });
}

/// The shape and strides with as few dimensions as say the same; false: still too many.
bool place_elements(const Argument& a, ElementDraw& draw) {
  const std::vector<std::int64_t> strides = a.strides.empty() ? contiguous_strides(a.shape) : a.strides;
  for (std::size_t d = a.shape.size(); d-- > 0;) {
    if (a.shape[d] == 1) continue;
    if (!draw.extents.empty() && strides[d] == draw.strides.back() * draw.extents.back()) {
      draw.extents.back() *= a.shape[d];
      continue;
    }
    draw.extents.push_back(a.shape[d]);
    draw.strides.push_back(strides[d]);
  }
  if (draw.extents.empty()) draw.extents = draw.strides = {1};
  return draw.extents.size() <= kMostDrawDimensions;
}

/// As judge::paint poisons.
void describe_poison(const Argument& a, ElementDraw& draw) {
  draw.poison = true;
  draw.stream = random::stream_of((a.name + ":poison").c_str());
  if (is_floating(a.dtype)) return;
  draw.kind = DrawKind::integers;
  draw.range = 32768;
  if (a.dtype == Dtype::s8) draw.lo = -128;
  if (a.dtype == Dtype::s8 || a.dtype == Dtype::u8) draw.range = 256;
  if (a.dtype != Dtype::b8) return;
  draw.dtype = Dtype::u8;
  draw.lo = 2;
  draw.range = 254;
}

/// As generators.cpp and integer_generators.cpp draw; false: these do not.
bool describe_values(const Problem& problem, const Argument& a, ElementDraw& draw) {
  const GeneratorOptions options(problem, a);
  draw.stream = random::stream_of(a.name.c_str());
  const std::string& kind = a.gen->kind;
  if (kind == "normal" && is_floating(a.dtype)) {
    const double scale = options.number("scale", 1);
    draw.scale = scale * options.number("std", 1);
    draw.offset = scale * options.number("mean", 0);
  } else if (kind == "uniform" && is_floating(a.dtype)) {
    draw.kind = DrawKind::uniform;
    draw.offset = options.number("lo", 0);
    draw.scale = options.number("hi", 1) - draw.offset;
  } else if (kind == "mask") {
    draw.kind = DrawKind::mask;
    draw.scale = options.number("density", 0.5);
  } else if (kind == "integers") {
    draw.kind = DrawKind::integers;
    draw.lo = options.integer("lo", 0);
    const std::int64_t hi = options.integer("hi", 127);
    draw.range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(draw.lo) + 1;
    return draw.lo <= hi;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<ElementDraw> element_draw(const Problem& problem, const Argument& a) {
  const Indexer indexer(a);
  if (a.absent || indexer.overlapping() || indexer.count() == 0 || elements_per_unit(a.dtype) != 1) return std::nullopt;
  ElementDraw draw;
  draw.dtype = a.dtype;
  if (!place_elements(a, draw)) return std::nullopt;
  if (a.kind == ArgumentKind::output) {
    if (!a.valid_rows.empty()) return std::nullopt;
    describe_poison(a, draw);
    return draw;
  }
  const GeneratorKind* kind = a.gen && is_drawn(a) ? find_generator(a.gen->kind) : nullptr;
  if (kind == nullptr || !kind->independent || is_referred_to(problem, a)) return std::nullopt;
  if (!describe_values(problem, a, draw)) return std::nullopt;
  return draw;
}

std::optional<double> agreement_with_itself(const Problem& problem, const Argument& a) {
  if (!is_judged(a) || (!a.valid_rows.empty() && a.outside == "anything")) return std::nullopt;
  if (problem.deterministic) return 0.0;
  if (compare_of(a).kind != "relative" || !Indexer(a).dense()) return std::nullopt;
  constexpr double kBothSides = 2;  // each of the two may be wrong by as much as the reference allows
  return kBothSides * tolerance_of(a);
}

}  // namespace harness::judge
