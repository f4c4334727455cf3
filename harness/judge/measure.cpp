#include "harness/judge/measure.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace harness::judge {
namespace {

void count_ulp(const Element& e, ArgumentError& error) {
  constexpr int kLastBucket = 32;
  const std::int64_t distance = e.ulp;
  const bool far = distance >= (std::int64_t{1} << (kLastBucket - 1)) || !std::isfinite(e.got);
  const bool agrees_beyond = far && distance == 0;
  const int bucket = agrees_beyond ? 0 : far ? kLastBucket : std::bit_width(static_cast<std::uint64_t>(distance));
  ++error.ulp_histogram[bucket];
  error.max_ulp = std::max(error.max_ulp, distance);
}

void count_element(const Output& output, std::int64_t i, std::int64_t row, const Element& e, Measured& m) {
  if (!e.agrees) {
    ++m.disagree;
    if (m.first_disagree < 0) m.first_disagree = i;
    if (std::isfinite(e.expected)) ++m.error.non_finite;
  }
  const double badness = output.badness(i, row, e);
  if (badness > m.worst_badness) {
    m.worst_badness = badness;
    m.worst = i;
  }
  if (badness > 1) {
    ++m.wrong;
    if (output.untouched(i)) {
      if (m.first_unwritten < 0) m.first_unwritten = i;
      ++m.error.unwritten;
    }
  }
}

/// What is no number where one is due is as wrong as a zero there, at the least.
Sums element_sums(const Output& output, const Element& e) {
  if (!std::isfinite(e.reference)) return {};
  if (!std::isfinite(e.got)) {
    if (e.agrees) return {};
    const double missed = std::max(std::fabs(e.reference), output.rms());
    return {missed == 0 ? 1 : missed * missed, e.reference * e.reference, 0, 1};
  }
  const double error = std::fabs(e.got - e.reference);
  if (error < output.negligible()) return {0, e.reference * e.reference, e.reference * e.reference, 1};
  return {error * error, e.reference * e.reference, e.got * e.reference, 1};
}

/// The row with the largest error against the largest of its own norm, that of its terms, and that of a typical row of
/// as many elements.
void judge_row(const Output& output, std::int64_t row, const Sums& sums, Measured& m) {
  if (sums.error2 == 0) return;
  const double typical = output.rms() * std::sqrt(static_cast<double>(sums.count));
  const double scale = std::max(std::sqrt(std::max(sums.reference2, sums.terms2)), typical);
  const double error = std::sqrt(sums.error2) / (scale == 0 ? std::sqrt(static_cast<double>(sums.count)) : scale);
  if (error <= m.worst_row_error) return;
  m.worst_row_error = error;
  m.worst_row = row;
}

/// Relative to the reference's norm, or that of its terms where they are known (ReferenceArray); where all is zero, the
/// rms error itself. Overflow to infinity is cut off.
double relative(const Sums& sums, double terms) {
  if (sums.error2 == 0) return 0;
  const auto count = static_cast<double>(sums.count);
  const double norm2 = std::max(sums.reference2, count * terms * terms);
  const double scale2 = norm2 == 0 ? count : norm2;
  return std::min(std::sqrt(sums.error2 / scale2), std::numeric_limits<double>::max());
}

/// Made once for many rows: a short row must not pay for making a long one.
using Chunk = std::array<Element, Output::kChunk>;

/// Some rows of an output.
struct Piece {
  Measured measured;
  Sums total;
};

void measure_row(const Output& output, std::int64_t row, Chunk& chunk, Piece& piece) {
  const bool floating = is_floating(output.argument().dtype);
  const bool counts_differences = !floating || output.kind() != Comparison::Kind::relative;
  const std::int64_t length = output.indexer().row_length();
  Measured& m = piece.measured;
  Sums sums;
  for (std::int64_t first = row * length; first < (row + 1) * length; first += Output::kChunk) {
    const std::span elements = std::span(chunk).first(std::min(Output::kChunk, (row + 1) * length - first));
    output.elements(first, elements);
    for (std::size_t k = 0; k < elements.size(); ++k) {
      const std::int64_t i = first + static_cast<std::int64_t>(k);
      if (!output.valid(i)) continue;
      const Element& e = elements[k];
      ++m.compared;
      count_element(output, i, row, e, m);
      sums.add(element_sums(output, e));
      sums.terms2 += output.terms(i) * output.terms(i);
      if (floating) count_ulp(e, m.error);
      const double difference = counts_differences ? output.difference(i, e) : 0;
      if (difference > 0) ++m.error.mismatches;
      if (difference > output.steps()) ++m.over_steps;
    }
  }
  if (floating) judge_row(output, row, sums, m);
  piece.total.add(sums);
}

void take_first(std::int64_t& first, std::int64_t later) {
  if (first < 0) first = later;
}

/// `later` follows `m` in order: the first of equals stays.
void merge(Measured& m, const Measured& later) {
  m.compared += later.compared;
  m.wrong += later.wrong;
  m.over_steps += later.over_steps;
  m.disagree += later.disagree;
  m.error.non_finite += later.error.non_finite;
  m.error.unwritten += later.error.unwritten;
  m.error.mismatches += later.error.mismatches;
  m.error.max_ulp = std::max(m.error.max_ulp, later.error.max_ulp);
  for (std::size_t i = 0; i < m.error.ulp_histogram.size(); ++i)
    m.error.ulp_histogram[i] += later.error.ulp_histogram[i];
  take_first(m.first_unwritten, later.first_unwritten);
  take_first(m.first_disagree, later.first_disagree);
  if (later.worst_badness > m.worst_badness) {
    m.worst_badness = later.worst_badness;
    m.worst = later.worst;
  }
  if (later.worst_row_error > m.worst_row_error) {
    m.worst_row_error = later.worst_row_error;
    m.worst_row = later.worst_row;
  }
}

}  // namespace

Measured measure(const Output& output) {
  // Pieces of a fixed size, added in order, so that the sums do not depend on the number of threads.
  constexpr std::int64_t kPieceElements = 1 << 14;
  const Indexer& indexer = output.indexer();
  const std::int64_t rows_each =
      std::max<std::int64_t>(1, kPieceElements / std::max<std::int64_t>(1, indexer.row_length()));
  Piece empty;
  if (is_floating(output.argument().dtype)) empty.measured.error.ulp_histogram.assign(33, 0);
  std::vector<Piece> pieces((indexer.rows() + rows_each - 1) / rows_each, empty);
  parallel_ranges(static_cast<std::int64_t>(pieces.size()), threads_for(indexer.count()),
                  [&](std::int64_t begin, std::int64_t end) {
                    Chunk chunk;
                    for (std::int64_t p = begin; p < end; ++p) {
                      const std::int64_t stop = std::min((p + 1) * rows_each, indexer.rows());
                      for (std::int64_t row = p * rows_each; row < stop; ++row)
                        measure_row(output, row, chunk, pieces[p]);
                    }
                  });
  for (const Piece& piece : pieces) {
    merge(empty.measured, piece.measured);
    empty.total.add(piece.total);
  }
  conclude(output, empty.total, output.terms(), empty.measured);
  return std::move(empty.measured);
}

void conclude(const Comparison& comparison, const Sums& total, double terms, Measured& m) {
  m.error.argument = comparison.argument().name;
  m.error.tolerance = comparison.tolerance();
  m.error.relative_l2 = relative(total, terms);
  if (total.reference2 <= 0) return;
  m.factor = total.product / total.reference2;
  const double norm2 = static_cast<double>(total.count) * terms * terms;
  m.cancellation = std::max(1.0, std::sqrt(norm2 / total.reference2));
}

double error_of(const Comparison& comparison, const Measured& m) {
  if (m.disagree > 0) return std::numeric_limits<double>::infinity();
  if (comparison.kind() == Comparison::Kind::relative) return m.error.relative_l2;
  if (comparison.kind() == Comparison::Kind::ulp) return static_cast<double>(m.error.max_ulp);
  return static_cast<double>(m.error.mismatches) / static_cast<double>(std::max<std::int64_t>(1, m.compared));
}

}  // namespace harness::judge
