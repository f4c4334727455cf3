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

/// What the wrong elements of some rows are like. Wrong are those that are so by themselves, or all where the error is
/// only in the sum.
struct Tally {
  std::vector<std::vector<std::int64_t>> wrong;  // of each axis, by coordinate
  double got2 = 0, product = 0, wanted2 = 0;

  explicit Tally(const std::vector<std::int64_t>& shape) {
    for (const std::int64_t extent : shape) wrong.emplace_back(extent, 0);
  }
  void add(const Tally& other) {
    for (std::size_t d = 0; d < wrong.size(); ++d)
      for (std::size_t i = 0; i < wrong[d].size(); ++i) wrong[d][i] += other.wrong[d][i];
    got2 += other.got2;
    product += other.product;
    wanted2 += other.wanted2;
  }
  void add(const Element& e) {
    if (!std::isfinite(e.reference) || !std::isfinite(e.got)) return;
    got2 += e.got * e.got;
    product += e.got * e.reference;
    wanted2 += e.reference * e.reference;
  }
};

void tally_row(const Output& output, bool all, std::int64_t row, std::span<Element> chunk, Tally& tally) {
  const std::int64_t length = output.indexer().row_length();
  std::int64_t wrong_elements = 0;
  for (std::int64_t begin = 0; begin < length; begin += Output::kChunk) {
    const auto elements = chunk.first(static_cast<std::size_t>(std::min(Output::kChunk, length - begin)));
    output.elements(row * length + begin, elements);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const std::int64_t column = begin + static_cast<std::int64_t>(k), i = row * length + column;
      if (!output.valid(i) || (!all && !(output.badness(i, row, elements[k]) > 1))) continue;
      ++wrong_elements;
      if (!tally.wrong.empty()) ++tally.wrong.back()[column];
      tally.add(elements[k]);
    }
  }
  if (wrong_elements == 0 || tally.wrong.size() < 2) return;
  const std::vector<std::int64_t> index = output.indexer().index(row * length);
  for (std::size_t d = 0; d + 1 < index.size(); ++d) tally.wrong[d][index[d]] += wrong_elements;
}

/// On several threads, in pieces whose number depends on the shape alone, so that sums are the same anywhere.
Tally tally_wrong(const Output& output, const Measured& measured) {
  constexpr std::int64_t kMostPieces = 64, kMostCounts = 1 << 22;  // counts of all pieces together
  const auto& shape = output.argument().shape;
  const std::int64_t rows = output.indexer().rows();
  const std::int64_t counts = std::accumulate(shape.begin(), shape.end(), std::int64_t{1});
  const std::int64_t pieces =
      std::clamp<std::int64_t>(kMostCounts / counts, 1, std::min(kMostPieces, std::max<std::int64_t>(1, rows)));
  std::vector<Tally> parts(static_cast<std::size_t>(pieces), Tally(shape));
  parallel_ranges(pieces, threads_for(output.indexer().count()), [&](std::int64_t begin, std::int64_t end) {
    std::vector<Element> chunk(Output::kChunk);
    for (std::int64_t p = begin; p < end; ++p)
      for (std::int64_t row = p * rows / pieces; row < (p + 1) * rows / pieces; ++row)
        tally_row(output, measured.wrong == 0, row, chunk, parts[static_cast<std::size_t>(p)]);
  });
  for (std::size_t p = 1; p < parts.size(); ++p) parts.front().add(parts[p]);
  return std::move(parts.front());
}

std::string where(const Output& output, const Measured& measured, const Tally& tally) {
  const auto& shape = output.argument().shape;
  std::string words;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::string axis = axis_words(tally.wrong[d], axis_name(d, shape.size()));
    if (axis.empty()) continue;
    words += words.empty() ? axis : " and " + axis;
  }
  if (!words.empty()) return words;
  return measured.wrong == 0 || 2 * measured.wrong > measured.compared ? "all rows" : "scattered elements in all rows";
}

/// A constant factor between what came and what was expected, by least squares and what it leaves unexplained.
std::string ratio(const Tally& tally) {
  if (tally.wanted2 == 0) return "values";
  if (tally.got2 == 0) return "zero";
  constexpr double kUnexplained = 0.02;
  const double factor = tally.product / tally.wanted2;
  const double left = std::max(0.0, tally.got2 - factor * tally.product);
  if (std::sqrt(left / tally.got2) > kUnexplained) return "values";
  return fmt::format("ratio {:.3g}", factor);
}

std::string how(const Output& output, const Measured& measured, const Tally& tally) {
  if (measured.error.unwritten > 0 && measured.error.unwritten == measured.wrong) return "unwritten";
  if (measured.disagree == 0) return ratio(tally);
  return std::isnan(output.element(measured.first_disagree).got) ? "nan" : "inf";
}

}  // namespace

std::string describe_pattern(const Output& output, const Measured& measured) {
  if (measured.compared == 0) return "";
  const Tally tally = tally_wrong(output, measured);
  return where(output, measured, tally) + ", " + how(output, measured, tally);
}

}  // namespace harness::judge
