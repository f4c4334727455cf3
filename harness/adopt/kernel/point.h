#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/adopt/kernel/kernel.h"

namespace harness::adopt {

/// What a kernel's formulas say at sizes, with the first values of what is tuned and its first type.
struct KernelPoint {
  using Numbers = std::vector<std::optional<std::int64_t>>;  // nothing: it cannot be said
  struct OfLaunch {
    bool reached = false;
    Numbers grid, block;
    std::optional<std::int64_t> shared;
    double threads = 0;  // of its grid; 0: it cannot be said, or cannot be
    double turns = 0;    // of all its threads through the loops over sizes
  };
  struct OfParameter {
    Numbers shape;
    double elements = 1;  // of its shape, 1 where it has none; 0: it cannot be said
    std::optional<std::int64_t> below, follows;
  };
  Values values;  // of sizes, of what is tuned and of types
  std::vector<OfLaunch> launches;
  std::vector<OfParameter> parameters;
  double threads = 0;                        // of all launches that are made
  double turns = 0;                          // the same; an estimate from the text alone, so the same on every machine
  double elements = 0;                       // of all arrays
  std::vector<std::size_t> reached() const;  // launches, by their places
};

KernelPoint point_of(const AdoptedKernel& kernel, const Values& sizes);

/// Only its values.
Values all_values(const AdoptedKernel& kernel, const Values& sizes);

}  // namespace harness::adopt
