#include "harness/device/cuda/judge/comparison_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace harness::cuda {

ComparedShape shape_of(const ComparedOutput& output) {
  ComparedShape shape;
  shape.count = 1;
  for (const std::int64_t extent : output.extents) shape.count *= extent;
  shape.row_length = output.extents.back();
  shape.rows = shape.row_length == 0 ? 0 : shape.count / shape.row_length;
  shape.segments = std::max<std::int64_t>(1, (shape.row_length + kSegmentElements - 1) / kSegmentElements);
  return shape;
}

void append_compared(const ComparedOutput& o, std::vector<std::int64_t>& words) {
  const ComparedShape shape = shape_of(o);
  words.insert(words.end(), {static_cast<std::int64_t>(o.as), static_cast<std::int64_t>(o.dtype), 0, o.at, o.bytes,
                             o.reference_at, shape.count, shape.row_length, shape.rows, shape.segments,
                             static_cast<std::int64_t>(o.extents.size())});
  for (const auto* numbers : {&o.extents, &o.strides})
    for (std::size_t k = 0; k < kMostComparedDimensions; ++k) words.push_back(k < numbers->size() ? (*numbers)[k] : 0);
  for (const double number : {o.tolerance, o.steps, o.row_factor}) words.push_back(std::bit_cast<std::int64_t>(number));
  const ValidRows valid = o.valid.value_or(ValidRows{.at = -1});
  words.insert(words.end(), {valid.at, static_cast<std::int64_t>(valid.dtype), valid.outer, valid.inner, valid.extent});
}

OutputNumbers read_numbers(std::span<const std::uint64_t> counts, std::span<const double> reference_totals,
                           std::span<const double> totals) {
  OutputNumbers n;
  std::size_t next = 0;
  for (std::int64_t* const number :
       {&n.compared, &n.wrong, &n.over_steps, &n.disagree, &n.non_finite, &n.unwritten, &n.mismatches, &n.max_ulp})
    *number = static_cast<std::int64_t>(counts[next++]);
  n.worst_badness = std::bit_cast<double>(counts[next++]);
  n.worst_row_error = std::bit_cast<double>(counts[next++]);
  for (std::int64_t* const number : {&n.changed, &n.changed_outside, &n.changed_units})
    *number = static_cast<std::int64_t>(counts[next++]);
  for (std::int64_t& bucket : n.ulp_histogram) bucket = static_cast<std::int64_t>(counts[next++]);
  n.reference_rms = reference_totals[1] > 0 ? std::sqrt(reference_totals[0] / reference_totals[1]) : 0;
  n.error2 = totals[0];
  n.reference2 = totals[1];
  n.product = totals[2];
  n.count = static_cast<std::int64_t>(totals[3]);
  return n;
}

}  // namespace harness::cuda
