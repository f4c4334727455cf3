#pragma once
#include <string>

#include "harness/judge/measure.h"

namespace harness::judge {

/// Where and how the wrong elements of an output lie, in words that are the same for two candidates with the same bug:
/// "all rows, ratio 0.675", "rows >= 64, unwritten", "last column, nan". The last two extents are rows and columns,
/// those before dim 0, dim 1, ... "" when nothing is wrong.
std::string describe_pattern(const Output& output, const Measured& measured);

}  // namespace harness::judge
