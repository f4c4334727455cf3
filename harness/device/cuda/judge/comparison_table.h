#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "harness/core/launch_comparison.h"

namespace harness::cuda {

/// HarnessCompared of judging_kernels.cu, and the room that its kernels need beside it, all in words of 8 bytes.
struct ComparedShape {
  std::int64_t count = 0, row_length = 1, rows = 0, segments = 1;
};
inline constexpr std::int64_t kSegmentElements = 4096;  // kHarnessSegment
ComparedShape shape_of(const ComparedOutput& output);

inline constexpr std::int64_t kComparedWords = 31;
void append_compared(const ComparedOutput& output, std::vector<std::int64_t>& words);

inline constexpr std::int64_t kCountsWords = 46;  // HarnessCounts
/// `counts`, and the totals of the reference (squares, count) and of the launch (HarnessSums).
OutputNumbers read_numbers(std::span<const std::uint64_t> counts, std::span<const double> reference_totals,
                           std::span<const double> totals);

}  // namespace harness::cuda
