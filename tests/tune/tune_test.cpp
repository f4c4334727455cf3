#include <catch2/catch.hpp>
#include <cmath>
#include <set>

#include "harness/core/error.h"
#include "harness/tune/choice.h"
#include "harness/tune/grid.h"

using namespace harness;
using namespace harness::tune;
using Catch::Contains;

namespace {

std::string grid_complaint(const std::string& text) {
  try {
    parse_grid(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool always(std::size_t, const Point&) {
  return true;
}

/// Three made configurations: one for few keys, one for many, one that is never the best. Each has a cost of its own
/// beside the work, and they cross on a line through both sizes.
double made_time(std::size_t candidate, const Point& point) {
  const double keys = static_cast<double>(point[0]), sequences = static_cast<double>(point[1]);
  const double work = keys * sequences;
  if (candidate == 0) return 2000 + 1.5 * work;
  if (candidate == 1) return 60000 + work;
  return 90000 + 2 * work;
}

void measure_made(Surfaces& surfaces, std::size_t candidate, const Point& point) {
  surfaces.add(0, point, 0);
  surfaces.add(candidate, point, std::log(made_time(candidate, point) / made_time(0, point)));
}

/// Measured where the doubt is greatest, so often.
Surfaces learned(const Grid& grid, int measurements) {
  Surfaces surfaces(3);
  for (const Point& corner : grid.corners(2))
    for (std::size_t i = 0; i < 3; ++i) measure_made(surfaces, i, corner);
  for (int i = 0; i < measurements; ++i)
    if (const auto doubt = greatest_doubt(surfaces, grid.points(), always, 0))
      measure_made(surfaces, doubt->candidate, doubt->point);
  return surfaces;
}

double mean_regret(const Grid& grid, const Surfaces& surfaces) {
  double sum = 0;
  const std::vector<Point> held_out = grid.held_out(40, 7);
  for (const Point& point : held_out)
    for (const Point& at : grid.points()) {
      if (!contains(grid.cell(at), point)) continue;
      const double time = made_time(choose(surfaces, at, always)->candidate, point);
      sum += time / std::min({made_time(0, point), made_time(1, point), made_time(2, point)}) - 1;
    }
  return sum / static_cast<double>(held_out.size());
}

}  // namespace

TEST_CASE("a grid doubles from the first size to the last, or has the sizes that are listed") {
  const Grid grid = parse_grid("Sk=512..5000, B=1,3,8");
  REQUIRE(grid.axes.size() == 2);
  CHECK(grid.axes[0].values == std::vector<std::int64_t>{512, 1024, 2048, 4096, 5000});
  CHECK(grid.axes[1].values == std::vector<std::int64_t>{1, 3, 8});
  CHECK(grid.points().size() == 15);
  CHECK(grid.words({512, 3}) == "Sk=512 B=3");
  const Grid squares = parse_grid("Sq=Sk=64..128");
  CHECK(squares.words({64}) == "Sq=64 Sk=64");
}

TEST_CASE("a grid that means nothing is refused in a sentence") {
  CHECK_THAT(grid_complaint(""), Contains("names no size"));
  CHECK_THAT(grid_complaint("512..1024"), Contains("names no size"));
  CHECK_THAT(grid_complaint("B=8..4"), Contains("no range from a size to a larger one"));
  CHECK_THAT(grid_complaint("B=0..4"), Contains("is no size"));
  CHECK_THAT(grid_complaint("B=1..4x"), Contains("is no size"));
  CHECK_THAT(grid_complaint("B=1,B=2"), Contains("stands there twice"));
  CHECK_THAT(grid_complaint("=1"), Contains("no name"));
  CHECK_THAT(grid_complaint("A=1..1099511627776,B=1..1099511627776,C=1..1099511627776"), Contains("4096 points"));
}

TEST_CASE("each point between the ends of a grid lies in one cell") {
  const Grid grid = parse_grid("A=1,2,3,1000,B=5..40");
  for (std::int64_t a = 1; a <= 1000; ++a)
    for (std::int64_t b = 5; b <= 40; ++b) {
      int cells = 0;
      for (const Point& point : grid.points()) cells += contains(grid.cell(point), {a, b}) ? 1 : 0;
      if (cells != 1) FAIL(a << " " << b << " lies in " << cells);
    }
  for (const Point& point : grid.points()) CHECK(contains(grid.cell(point), point));
}

TEST_CASE("points that are held out are none of the grid, and the same for a seed") {
  const Grid grid = parse_grid("A=1..4096,B=1..64");
  const std::vector<Point> points = grid.held_out(30, 1);
  REQUIRE(points.size() == 30);
  CHECK(points == grid.held_out(30, 1));
  CHECK(points != grid.held_out(30, 2));
  const std::vector<Point> all = grid.points();
  for (const Point& point : points) CHECK(std::ranges::find(all, point) == all.end());
  CHECK(parse_grid("A=7").held_out(3, 1).empty());
  CHECK(grid.corners(4) == std::vector<Point>{{1, 1}, {4096, 64}, {4096, 1}, {1, 64}});
}

TEST_CASE("a surface goes through what was measured, and is surer near it than far from it") {
  Surfaces surfaces(2);
  for (const std::int64_t size : {64, 128, 256, 512}) surfaces.add(1, {size}, 0.1 * std::log2(size));
  CHECK(surfaces.at(1, {128}).measured);
  CHECK(surfaces.at(1, {128}).mean == Approx(0.7));
  CHECK(surfaces.at(1, {181}).mean == Approx(0.75).margin(0.02));
  CHECK(surfaces.at(1, {181}).deviation < surfaces.at(1, {4096}).deviation);
  surfaces.add(1, {128}, 0.9);
  CHECK(surfaces.at(1, {128}).mean == Approx(0.9));
}

TEST_CASE("what is always as much faster than the baseline is expected to be so between") {
  Surfaces surfaces(2);
  for (const std::int64_t size : {64, 256, 1024, 4096}) surfaces.add(1, {size}, -0.3);
  CHECK(surfaces.at(1, {512}).mean == Approx(-0.3).margin(0.01));
  CHECK(choose(surfaces, {512}, always)->regret < 0.01);
  CHECK(surfaces.at(0, {512}).deviation == 0);
}

TEST_CASE("measuring where the doubt is greatest finds what wins where, with a tenth of the grid's times") {
  const Grid grid = parse_grid("Sk=512..32768,B=1..256");  // 63 points of 3 configurations
  CHECK(mean_regret(grid, learned(grid, 0)) > 0.03);
  CHECK(mean_regret(grid, learned(grid, 14)) < 0.03);
}

TEST_CASE("nothing is asked for where all is known, or where only one can run") {
  Surfaces surfaces(2);
  surfaces.add(0, {8}, 0);
  surfaces.add(1, {8}, 1);
  CHECK_FALSE(greatest_doubt(surfaces, {{8}}, always, 0));
  CHECK(choose(surfaces, {8}, always)->candidate == 0);
  const auto only_second = [](std::size_t candidate, const Point&) { return candidate == 1; };
  CHECK_FALSE(greatest_doubt(surfaces, {{8}, {9}}, only_second, 0));
  CHECK(choose(surfaces, {8}, only_second)->candidate == 1);
  CHECK_FALSE(choose(surfaces, {8}, [](std::size_t, const Point&) { return false; }));
}
