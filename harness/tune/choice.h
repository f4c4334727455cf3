#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "harness/tune/surfaces.h"

namespace harness::tune {

/// Whether a candidate can run at a point, and may win there.
using Possible = std::function<bool(std::size_t candidate, const Point& point)>;

/// What to run at a point.
struct Choice {
  std::size_t candidate = 0;
  Expected expected;
  double regret = 0;      // expected: the share of its time by which another is faster
  std::size_t rival = 0;  // the candidate from which most of that comes; itself where there is no other
};

/// The candidate with the least expected time; nothing where none is possible.
std::optional<Choice> choose(const Surfaces& surfaces, const Point& point, const Possible& possible);

/// What to measure next.
struct Doubt {
  std::size_t candidate = 0;
  Point point;
  double regret = 0;  // that is expected at the point until then
};

/// Where most is expected to be lost by not knowing better, of points that are expected to lose at least so much: there
/// the chosen candidate or its rival, whichever is known less. Nothing where nothing is left to learn.
std::optional<Doubt> greatest_doubt(const Surfaces& surfaces, const std::vector<Point>& points,
                                    const Possible& possible, double least);

}  // namespace harness::tune
