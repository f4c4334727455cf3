#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace harness::tune {

/// A value of each axis.
using Point = std::vector<std::int64_t>;

/// Sizes that have one value: "Sk", or "Sq" and "Sk" of squares.
struct Axis {
  std::vector<std::string> sizes;
  std::vector<std::int64_t> values;  // ascending
};

/// From the first to the last value of each axis that a cell of the grid holds.
using Cell = std::vector<std::pair<std::int64_t, std::int64_t>>;

struct Grid {
  std::vector<Axis> axes;
  std::vector<Point> points() const;
  /// Around a point of the grid: up to the geometric means with its neighbours. The cells share no point and leave none
  /// out between the ends of the axes.
  Cell cell(const Point& point) const;
  /// At most so many points at the ends of the axes, those that are farthest apart first.
  std::vector<Point> corners(std::size_t most) const;
  /// Points between the ends that are none of the grid, each magnitude equally likely; fewer where there are no more.
  std::vector<Point> held_out(std::size_t count, std::uint64_t seed) const;
  /// "Sk=512 B=4"
  std::string words(const Point& point) const;
};

/// "Sk=512..32768,B=1,2,8" or "Sq=Sk=512..4096": from..to doubles, and ends at the second number. Throws
/// Error(bad_input).
Grid parse_grid(const std::string& text);

bool contains(const Cell& cell, const Point& point);

}  // namespace harness::tune
