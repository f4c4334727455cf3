#include "harness/judge/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace harness::judge {
namespace {

std::string axis_name(std::size_t axis, std::size_t rank) {
  if (axis + 1 == rank) return "column";
  if (axis + 2 == rank) return "row";
  return fmt::format("dim {}", axis);
}

/// Which coordinates of one axis have a wrong element, in words; "" when all have. `counts`: wrong elements of each.
/// Where they are few, a coordinate without one is chance and says nothing.
std::string axis_words(const std::vector<std::int64_t>& counts, const std::string& name) {
  std::vector<bool> wrong;
  for (const std::int64_t n : counts) wrong.push_back(n > 0);
  const auto extent = static_cast<std::int64_t>(wrong.size());
  const std::int64_t count = std::ranges::count(wrong, true);
  const std::int64_t first = std::ranges::find(wrong, true) - wrong.begin();
  std::int64_t last = extent - 1;
  while (!wrong[last]) --last;
  const std::int64_t elements = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  const bool sparse = elements < 4 * count && 4 * count >= 3 * extent;
  if (count == extent || sparse) return "";
  if (count == 1 && last == extent - 1) return "last " + name;
  if (count == 1) return fmt::format("{} {}", name, first);
  if (last - first + 1 == count) {
    if (last == extent - 1) return fmt::format("{}s >= {}", name, first);
    if (first == 0) return fmt::format("{}s <= {}", name, last);
    return fmt::format("{}s {} to {}", name, first, last);
  }
  std::int64_t period = 2;
  const auto follows = [&](std::int64_t p) {
    for (std::int64_t i = 0; i < extent; ++i) {
      if (wrong[i] != (i % p == first % p)) return false;
    }
    return true;
  };
  constexpr std::int64_t kLongestPeriod = 512;  // a tile's, a block's: longer ones are chance and cost time
  const std::int64_t longest = std::min(extent / 2, kLongestPeriod);
  while (period <= longest && !follows(period)) ++period;
  if (period <= longest) return fmt::format("every {}-th {} from {}", period, name, first);
  return fmt::format("some {}s", name);
}

/// The elements counted as wrong: those that are by themselves, or all when the error is only in the sum.
template <typename F>
void for_wrong(const Output& output, const Measured& measured, F&& f) {
  output.for_valid([&](std::int64_t i) {
    if (measured.wrong == 0 || output.badness(i) > 1) f(i);
  });
}

std::string where(const Output& output, const Measured& measured) {
  const auto& shape = output.argument().shape;
  std::vector<std::vector<std::int64_t>> wrong;
  for (const std::int64_t extent : shape) wrong.emplace_back(extent, 0);
  for_wrong(output, measured, [&](std::int64_t i) {
    const auto index = output.indexer().index(i);
    for (std::size_t d = 0; d < index.size(); ++d) ++wrong[d][index[d]];
  });
  std::string words;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::string axis = axis_words(wrong[d], axis_name(d, shape.size()));
    if (axis.empty()) continue;
    words += words.empty() ? axis : " and " + axis;
  }
  if (!words.empty()) return words;
  return measured.wrong == 0 || 2 * measured.wrong > measured.compared ? "all rows" : "scattered elements in all rows";
}

/// A constant factor between what came and what was expected, by least squares and what it leaves unexplained.
std::string ratio(const Output& output, const Measured& measured) {
  double got2 = 0, product = 0, wanted2 = 0;
  for_wrong(output, measured, [&](std::int64_t i) {
    const Element e = output.element(i);
    const double wanted = e.reference, got = e.got;
    if (!std::isfinite(wanted) || !std::isfinite(got)) return;
    got2 += got * got;
    product += got * wanted;
    wanted2 += wanted * wanted;
  });
  if (wanted2 == 0) return "values";
  if (got2 == 0) return "zero";
  constexpr double kUnexplained = 0.02;
  const double factor = product / wanted2;
  const double left = std::max(0.0, got2 - factor * product);
  if (std::sqrt(left / got2) > kUnexplained) return "values";
  return fmt::format("ratio {:.3g}", factor);
}

std::string how(const Output& output, const Measured& measured) {
  if (measured.error.unwritten > 0 && measured.error.unwritten == measured.wrong) return "unwritten";
  if (measured.disagree == 0) return ratio(output, measured);
  return std::isnan(output.element(measured.first_disagree).got) ? "nan" : "inf";
}

}  // namespace

std::string describe_pattern(const Output& output, const Measured& measured) {
  if (measured.compared == 0) return "";
  return where(output, measured) + ", " + how(output, measured);
}

}  // namespace harness::judge
