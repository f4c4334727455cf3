#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/adopt/host/expression.h"

namespace harness::adopt {

/// How many elements a pointer had at each point, in terms of the sizes.
struct Fitted {
  std::vector<FormulaPtr> shape;
  std::vector<FormulaPtr> strides;  // empty: contiguous
  int cost = 0;                     // simpler ones are cheaper
};

struct FitPoint {
  Values sizes;
  std::int64_t elements = 0;
};

/// The simplest formula that holds at every point: products of `symbols` (in their order), with constant factors and
/// terms, quotients, rows that lie further apart than they are long. `extra`: further quantities, such as the number of
/// blocks. `likely`: parts and multiples of symbols (n / 2, 2 * n) that are extents of their own where they fit, and
/// products of two (h * scale), which are where one of them would stand twice otherwise.
/// Nothing: none does. Points must differ in all symbols.
std::optional<Fitted> fit(const std::vector<FitPoint>& points, const std::vector<std::string>& symbols,
                          const std::vector<FormulaPtr>& extra, const std::vector<FormulaPtr>& likely = {});

/// The product of symbols that no point goes beyond and that enough of them reach, where no formula holds at every
/// point: an array of which some sizes leave a part out. Nothing: there is none, or more than one.
std::optional<Fitted> fit_bound(const std::vector<FitPoint>& points, const std::vector<std::string>& symbols);

/// Elements that a shape spans.
std::optional<std::int64_t> span_of(const Fitted& fitted, const Values& sizes);

}  // namespace harness::adopt
