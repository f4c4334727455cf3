#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/adopt/host/expression.h"

// The order of the sizes in a shape, out of what parts of a launch touch. In [a, b, c] whatever lies a row apart is c
// elements apart, and whatever lies a matrix apart b c: distances and lengths are products of the innermost sizes.
namespace harness::adopt {

/// What one launch touched of an array, in elements: [begin, end) without gaps, ascending.
using Parts = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The same part of a launch (one block, one thread) at several points of the sizes.
struct Glimpse {
  std::vector<Values> points;
  std::vector<Parts> parts;  // one for each point
};

/// The shape in the order that most glimpses agree with; where several do, the one with the fewest sizes moved. `sure`:
/// each place was seen.
struct Order {
  std::vector<FormulaPtr> shape;
  bool sure = false;
};
/// `strides`: what the kernel's text says (index_text.h); it counts for more than glimpses.
Order order_of(const std::vector<FormulaPtr>& shape, const std::vector<Glimpse>& glimpses, bool bordered,
               const std::vector<std::set<std::string>>& strides = {});

/// Does the text only compare with a variable (`row < rows`)? Then it is no distance between elements.
bool only_compares(const std::string& text, const std::string& name);

/// Of a text, where n is one of these names: parts of sizes that it counts in, `n / 4`, `n >> 1` and `(n + 3) / 4`; and
/// multiples and products of two that are variables of their own, `m = 2 * n`, unless they are called strides.
std::vector<FormulaPtr> likely_extents(const std::string& text, const std::vector<std::string>& names);

}  // namespace harness::adopt
