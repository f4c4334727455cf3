#include "harness/judge/output.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "harness/core/error.h"
#include "harness/judge/elements.h"
#include "harness/judge/tolerance.h"

namespace harness::judge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::int64_t> valid_lengths(const Problem& problem, const ImageLayout& layout,
                                        std::span<const std::byte> before, const Argument& output) {
  if (output.valid_rows.empty()) return {};
  const Argument* lengths = find_argument(problem, output.valid_rows);
  if (lengths == nullptr || !is_drawn(*lengths) || is_floating(lengths->dtype) || output.shape.size() < 2 ||
      count_elements(*lengths) < output.shape[0]) {
    throw bad_input(
        fmt::format("valid_rows of '{}' must name an integer input with a length for each of its first extent, "
                    "not '{}'",
                    output.name, output.valid_rows));
  }
  return load_integers(*lengths, layout, before);
}

}  // namespace

Output::Output(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
               std::span<const std::byte> after, const Argument& argument, const ReferenceArray& reference)
    : Comparison(argument),
      reference_(reference),
      before_(payload(layout, argument.name, before)),
      after_(payload(layout, argument.name, after)),
      bytes_(storage_bytes(argument.dtype)),
      lengths_(valid_lengths(problem, layout, before, argument)) {
  if (is_floating(argument.dtype)) measure_rows();
}

void Output::measure_rows() {
  std::vector<double> sums(indexer().rows());
  std::vector<std::int64_t> counts(indexer().rows());
  row_rms_.resize(indexer().rows());
  parallel_ranges(indexer().rows(), threads_for(indexer().count()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t i = row * indexer().row_length(); i < (row + 1) * indexer().row_length(); ++i) {
        if (!valid(i) || !std::isfinite(reference_.values[i])) continue;
        sums[row] += reference_.values[i] * reference_.values[i];
        ++counts[row];
      }
      row_rms_[row] = counts[row] == 0 ? 0 : std::sqrt(sums[row] / static_cast<double>(counts[row]));
    }
  });
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  const std::int64_t count = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  rms_ = std::max(reference_.terms, count == 0 ? 0 : std::sqrt(total / static_cast<double>(count)));
}

bool Output::in_valid_row(std::int64_t logical) const {
  const std::int64_t outer = indexer().count() / argument().shape[0];
  const std::int64_t inner = outer / argument().shape[1];
  return logical / inner % argument().shape[1] < lengths_[logical / outer];
}

bool Output::untouched(std::int64_t logical) const {
  return std::memcmp(unit(before_, logical), unit(after_, logical), bytes_) == 0;
}

Element Output::element(std::int64_t logical) const {
  Element e;
  elements(logical, std::span(&e, 1));
  return e;
}

void Output::elements(std::int64_t logical, std::span<Element> elements) const {
  std::array<double, kChunk> got, expected;
  std::array<std::byte, kChunk * sizeof(double)> rounded;
  const std::byte* left = unit(after_, logical);
  const std::span reference = std::span(reference_.values).subspan(logical, elements.size());
  load_strided(argument().dtype, left, indexer().column_stride(), std::span(got).first(elements.size()));
  if (!is_floating(argument().dtype)) {
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = {reference[i], reference[i], got[i]};
    return;
  }
  store_all_rounded(argument().dtype, rounded.data(), reference);
  load_as_doubles(argument().dtype, rounded.data(), std::span(expected).first(elements.size()));
  const std::int64_t step = indexer().column_stride() * bytes_;
  for (std::size_t i = 0; i < elements.size(); ++i, left += step)
    elements[i] = compared(reference[i], rounded.data() + i * bytes_, expected[i], left, got[i]);
}

Element Output::compared(double reference, const std::byte* rounded, double expected, const std::byte* left,
                         double got) const {
  Element e{reference, expected, got};
  if (std::memcmp(rounded, left, bytes_) != 0) e.ulp = ulp_distance(argument().dtype, rounded, left);
  if (std::isfinite(expected)) e.agrees = std::isfinite(got);
  else e.agrees = std::isnan(expected) ? std::isnan(got) : got == expected;
  return e;
}

std::uint64_t Output::integer_distance(std::int64_t logical) const {
  const std::byte* const a = reference_.raw.data() + logical * bytes_;
  const std::byte* const b = unit(after_, logical);
  const std::int64_t x = load_integer(argument().dtype, a), y = load_integer(argument().dtype, b);
  const auto ux = static_cast<std::uint64_t>(x), uy = static_cast<std::uint64_t>(y);
  const bool x_above = argument().dtype == Dtype::u64 ? ux > uy : x > y;
  return x_above ? ux - uy : uy - ux;
}

double Output::difference(std::int64_t logical, const Element& e) const {
  if (!is_floating(argument().dtype)) return static_cast<double>(integer_distance(logical));
  if (!e.agrees) return kInfinity;
  return std::isfinite(e.expected) ? std::fabs(e.got - e.expected) : 0;
}

double Output::badness(std::int64_t logical, std::int64_t row, const Element& e) const {
  if (!e.agrees) return kInfinity;
  if (kind() == Kind::relative) {
    const double error = std::fabs(e.got - e.reference);
    if (error < negligible() || !std::isfinite(e.expected)) return 0;
    const double scale = std::max({std::fabs(e.reference), row_rms_[row], rms_, terms(logical)});
    return error / (factors_.row * tolerance() * (scale == 0 ? 1 : scale));
  }
  if (kind() == Kind::ulp) return static_cast<double>(e.ulp) / (tolerance() + 0.5);
  const double off = difference(logical, e);
  if (kind() == Kind::quantized) return off / steps();
  return off == 0 ? 0 : 1 + off;
}

FirstBad Output::describe(std::int64_t logical) const {
  const Element e = element(logical);
  const std::int64_t distance =
      is_floating(argument().dtype) ? e.ulp : static_cast<std::int64_t>(integer_distance(logical));
  return {argument().name, indexer().index(logical), e.expected, e.got, distance};
}

}  // namespace harness::judge
