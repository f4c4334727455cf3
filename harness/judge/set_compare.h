#pragma once
#include <cstddef>
#include <span>

#include "harness/core/contract.h"
#include "harness/core/image.h"
#include "harness/judge/output.h"

namespace harness::judge {

/// What a comparison as sets finds: rows (of the last extent) whose elements are not those of the reference in any
/// order.
struct SetDifference {
  std::int64_t rows = 0, wrong_rows = 0;
  std::int64_t first_wrong = -1;  // an element of the first wrong row
};

/// Floats: equal as multisets within the tolerance. Integers: equal as sets; with the option `of` (the input that the
/// indices select from, one row for each row here) an index may stand for another whose value there is the same (a tie
/// of top-k), but none may appear twice or lie outside.
SetDifference compare_sets(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                           const Output& output);

}  // namespace harness::judge
