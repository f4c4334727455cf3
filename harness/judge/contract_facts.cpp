#include "harness/judge/contract_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "harness/judge/elements.h"
#include "harness/judge/output.h"

namespace harness::judge {
namespace {

constexpr double kMostNan = 0.1;
// Sums of an adopted kernel's own reference may be made in another order each time.
constexpr double kAnotherOrder = 1e-4;

/// The first element of a tensor, and whether all others are like it.
struct OneValue {
  bool same = true;
  double value = 0;
};

OneValue one_value(const Argument& argument, const ImageLayout& layout, std::span<const std::byte> image) {
  OneValue found;
  const Indexer indexer(argument);
  const std::byte* const data = payload(layout, argument.name, image).data();
  const int bytes = storage_bytes(argument.dtype);
  load_strided(argument.dtype, data + indexer.offset(0) * bytes, 1, std::span(&found.value, 1));
  indexer.for_elements(0, indexer.count(), [&](std::int64_t, std::int64_t storage) {
    found.same = found.same && std::memcmp(data + storage * bytes, data + indexer.offset(0) * bytes, bytes) == 0;
  });
  return found;
}

/// Calls `use` with each place of an output that its contract says is written.
template <typename Use>
void for_valid(const Problem& problem, const ImageLayout& layout, const DrawnReference& drawn, const Argument& argument,
               Use use) {
  const ReferenceArray& array = drawn.values.at(argument.name);
  const Output output(problem, layout, drawn.image, drawn.image, argument, array);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(array.values.size()); ++i)
    if (output.valid(i)) use(i);
}

bool is_same_number(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

bool same_arrays(const Problem& problem, const ImageLayout& layout, const Argument& argument,
                 const DrawnReference& first, const DrawnReference& other) {
  const ReferenceArray &a = first.values.at(argument.name), &b = other.values.at(argument.name);
  if (a.values.size() != b.values.size()) return false;
  bool same = true;
  for_valid(problem, layout, first, argument, [&](std::int64_t i) {
    same = same && is_same_number(a.values[static_cast<std::size_t>(i)], b.values[static_cast<std::size_t>(i)]);
  });
  return same;
}

/// Relative L2; nothing where one has a number and the other none.
std::optional<double> distance(const ReferenceArray& a, const ReferenceArray& b) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const double x = a.values[i], y = b.values[i];
    if (is_same_number(x, y)) {
      if (std::isfinite(x)) size += x * x;
      continue;
    }
    if (!std::isfinite(x) || !std::isfinite(y)) return std::nullopt;
    apart += (x - y) * (x - y);
    size += x * x;
  }
  return apart == 0 ? 0 : std::sqrt(apart / std::max(size, 1e-300));
}

}  // namespace

std::map<std::string, double> constant_inputs(const Problem& problem, const ImageLayout& layout,
                                              std::span<const std::span<const std::byte>> images) {
  std::map<std::string, double> constant;
  for (const Argument& argument : problem.arguments) {
    if (!is_drawn(argument) || !argument.gen || argument.gen->kind == "constant" || count_elements(argument) < 2)
      continue;
    std::optional<double> value;
    const bool same = std::ranges::all_of(images, [&](std::span<const std::byte> image) {
      const OneValue found = one_value(argument, layout, image);
      if (!value) value = found.value;
      return found.same && is_same_number(found.value, *value);
    });
    if (same && value) constant[argument.name] = *value;
  }
  return constant;
}

std::vector<std::string> not_a_number(const Problem& problem, const ImageLayout& layout, const DrawnReference& drawn) {
  std::vector<std::string> sentences;
  for (const Argument& argument : problem.arguments) {
    if (!is_judged(argument) || !is_floating(argument.dtype)) continue;
    const ReferenceArray& array = drawn.values.at(argument.name);
    std::int64_t elements = 0, nan = 0;
    for_valid(problem, layout, drawn, argument, [&](std::int64_t i) {
      ++elements;
      nan += std::isnan(array.values[static_cast<std::size_t>(i)]) ? 1 : 0;
    });
    if (static_cast<double>(nan) <= kMostNan * static_cast<double>(elements)) continue;
    sentences.push_back(
        fmt::format("the reference leaves NaN in {} of {} elements of '{}', where any NaN is right; mend "
                    "it, or draw inputs for which the result is a number",
                    nan, elements, argument.name));
  }
  return sentences;
}

std::vector<std::string> changes_by_itself(const Problem& problem, const ReferenceValues& first,
                                           const ReferenceValues& again) {
  std::vector<std::string> sentences;
  for (const Argument& argument : problem.arguments) {
    if (!is_judged(argument)) continue;
    const ReferenceArray &a = first.at(argument.name), &b = again.at(argument.name);
    const std::optional<double> apart = distance(a, b);
    const bool exact = !is_floating(argument.dtype) && problem.deterministic;
    if (apart && *apart <= kAnotherOrder && (!exact || a.raw == b.raw)) continue;
    sentences.push_back(
        fmt::format("the reference gives another '{}' when it runs again on the same inputs; it has a "
                    "race, or reads what nobody wrote",
                    argument.name));
  }
  return sentences;
}

std::vector<std::string> same_outputs(const Problem& problem, const ImageLayout& layout,
                                      std::span<const DrawnReference> draws) {
  std::vector<std::string> names;
  for (const Argument& argument : problem.arguments) {
    if (!is_judged(argument) || draws.empty()) continue;
    if (std::ranges::all_of(draws.subspan(1), [&](const DrawnReference& other) {
          return same_arrays(problem, layout, argument, draws.front(), other);
        }))
      names.push_back(argument.name);
  }
  return names;
}

}  // namespace harness::judge
