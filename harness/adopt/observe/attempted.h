#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/observe/attempt.h"

namespace harness::adopt {

/// Steps of the sizes that are tried, and where.
struct Steps {
  std::int64_t step = 1;
  bool tiles = false;     // sizes that blocks cover in tiles are multiples of these
  std::int64_t most = 0;  // of the only size, where arrays are squares of it; 0: as many as for a vector
  bool beyond = false;    // sizes that blocks cover in tiles go beyond a few of these
};

/// What the attempts with steps said.
struct Attempted {
  std::string why;                  // the first one failed
  bool before_begin = false;        // it reached before the first element of an array
  std::vector<Question> questions;  // of the first one that had some
  std::set<std::string> of_values;  // its arrays that are touched as far as the values in memory say
  Steps of_questions;               // its steps: it runs well there, but arrays end where values say
  std::optional<Steps> narrow;      // everything fits there, but larger sizes reach further
  int untouched = 0, endless = 0;   // attempts that left an array untouched, or had a launch that did not end
};

/// What is done to a kernel once an attempt understood it.
using Finish = std::function<void(Attempt&)>;

}  // namespace harness::adopt
