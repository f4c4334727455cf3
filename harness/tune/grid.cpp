#include "harness/tune/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <set>

#include "harness/core/error.h"

namespace harness::tune {
namespace {

constexpr std::size_t kMostPoints = 4096, kMostAxes = 6;
constexpr std::int64_t kLargestSize = std::int64_t{1} << 40;

Error wrong_grid(const std::string& text, const std::string& why) {
  return bad_input(fmt::format("--grid '{}': {}; write \"Sk=512..32768,B=1..256\" or \"N=1024,4096\"", text, why));
}

std::optional<std::int64_t> size_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = failed == std::errc() && end == text.data() + text.size();
  return whole && number >= 1 && number <= kLargestSize ? std::optional(number) : std::nullopt;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](unsigned char letter) { return letter == ' ' || letter == '\t'; });
  return text;
}

/// "512..32768" or "512".
void add_values(Axis& axis, const std::string& range, const std::string& text) {
  const std::size_t dots = range.find("..");
  const auto first = size_number(range.substr(0, dots));
  const auto last = dots == std::string::npos ? first : size_number(range.substr(dots + 2));
  if (!first || !last || *last < *first)
    throw wrong_grid(text, fmt::format("'{}' is no size, and no range from a size to a larger one", range));
  for (std::int64_t value = *first; value < *last; value *= 2) axis.values.push_back(value);
  axis.values.push_back(*last);
}

Axis named_axis(const std::string& names, const std::string& text) {
  Axis axis;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find('=', begin), names.size());
    if (end == begin) throw wrong_grid(text, "a size has no name");
    axis.sizes.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return axis;
}

void check_grid(const Grid& grid, const std::string& text) {
  std::set<std::string> names;
  double points = 1;
  for (const Axis& axis : grid.axes) {
    points *= static_cast<double>(axis.values.size());
    for (const std::string& name : axis.sizes)
      if (!names.insert(name).second) throw wrong_grid(text, fmt::format("'{}' stands there twice", name));
  }
  if (grid.axes.empty()) throw wrong_grid(text, "it names no size");
  if (grid.axes.size() > kMostAxes || points > kMostPoints)
    throw wrong_grid(text, fmt::format("it has more than {} sizes or {} points", kMostAxes, kMostPoints));
}

/// The last value that belongs to the lower one of two neighbours.
std::int64_t border(std::int64_t lower, std::int64_t upper) {
  const auto mean = static_cast<std::int64_t>(std::sqrt(static_cast<double>(lower) * static_cast<double>(upper)));
  return std::clamp(mean, lower, upper - 1);
}

}  // namespace

std::vector<Point> Grid::points() const {
  std::vector<Point> points{{}};
  for (const Axis& axis : axes) {
    std::vector<Point> longer;
    for (const Point& point : points)
      for (const std::int64_t value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    points = std::move(longer);
  }
  return points;
}

Cell Grid::cell(const Point& point) const {
  Cell cell;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::vector<std::int64_t>& values = axes[i].values;
    const auto at = std::ranges::find(values, point[i]);
    const std::int64_t lo = at == values.begin() ? *at : border(*(at - 1), *at) + 1;
    const std::int64_t hi = at + 1 == values.end() ? *at : border(*at, *(at + 1));
    cell.emplace_back(lo, hi);
  }
  return cell;
}

std::vector<Point> Grid::corners(std::size_t most) const {
  std::vector<Point> corners;
  for (std::size_t choice = 0; choice < std::size_t{1} << axes.size(); ++choice) {
    Point corner;
    for (std::size_t i = 0; i < axes.size(); ++i)
      corner.push_back((choice >> i) % 2 == 1 ? axes[i].values.back() : axes[i].values.front());
    if (std::ranges::find(corners, corner) == corners.end()) corners.push_back(corner);
  }
  // Opposite corners first: the first with the last, then those between.
  std::vector<Point> ordered;
  for (std::size_t i = 0; i < (corners.size() + 1) / 2; ++i) {
    ordered.push_back(corners[i]);
    if (i != corners.size() - 1 - i) ordered.push_back(corners[corners.size() - 1 - i]);
  }
  ordered.resize(std::min(most, ordered.size()));
  return ordered;
}

std::vector<Point> Grid::held_out(std::size_t count, std::uint64_t seed) const {
  constexpr std::size_t kTriesEach = 100;
  const std::vector<Point> all = points();
  const std::set<Point> taken(all.begin(), all.end());
  std::set<Point> drawn;
  std::vector<Point> points;
  std::mt19937_64 random(seed);
  for (std::size_t attempt = 0; attempt < kTriesEach * count && points.size() < count; ++attempt) {
    Point point;
    for (const Axis& axis : axes) {
      const double lo = std::log(static_cast<double>(axis.values.front()));
      const double hi = std::log(static_cast<double>(axis.values.back()));
      const double share = static_cast<double>(random() >> 11) * 0x1p-53;
      const auto value = static_cast<std::int64_t>(std::llround(std::exp(lo + share * (hi - lo))));
      point.push_back(std::clamp(value, axis.values.front(), axis.values.back()));
    }
    if (!taken.contains(point) && drawn.insert(point).second) points.push_back(point);
  }
  return points;
}

std::string Grid::words(const Point& point) const {
  std::string text;
  for (std::size_t i = 0; i < axes.size(); ++i)
    for (const std::string& size : axes[i].sizes)
      text += fmt::format("{}{}={}", text.empty() ? "" : " ", size, point[i]);
  return text;
}

Grid parse_grid(const std::string& given) {
  const std::string text = without_blanks(given);
  Grid grid;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t sign = part.rfind('=');
    if (sign != std::string::npos) grid.axes.push_back(named_axis(part.substr(0, sign), given));
    if (grid.axes.empty()) throw wrong_grid(given, fmt::format("'{}' names no size", part));
    add_values(grid.axes.back(), sign == std::string::npos ? part : part.substr(sign + 1), given);
    begin = end + 1;
  }
  for (Axis& axis : grid.axes) {
    std::ranges::sort(axis.values);
    axis.values.erase(std::unique(axis.values.begin(), axis.values.end()), axis.values.end());
  }
  check_grid(grid, given);
  return grid;
}

bool contains(const Cell& cell, const Point& point) {
  for (std::size_t i = 0; i < cell.size(); ++i)
    if (point[i] < cell[i].first || point[i] > cell[i].second) return false;
  return true;
}

}  // namespace harness::tune
