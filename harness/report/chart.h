#pragma once
#include <optional>
#include <string>
#include <vector>

#include "harness/report/cell.h"

// Charts as plain values, and as SVG that follows the colours of the page it stands in (CSS variables of page.css).
namespace harness::report {

/// How the best time of one workload fell: steps, beside lines for a rival and the floor. Far outliers above are cut
/// off and named.
struct StepChart {
  std::string title;
  struct Point {
    double seconds = 0, ns = 0;
    std::string label;  // the candidate
  };
  std::vector<Point> points;
  double end_s = 0;           // of the campaign: the last step goes on until then
  std::optional<double> usd;  // spent at `end_s`; absent: no second scale
  std::optional<double> rival_ns, floor_ns, baseline_ns;
};

/// Horizontal bars of parts that share one legend.
struct BarChart {
  std::string title, unit;
  std::vector<std::string> parts;  // of the legend
  struct Bar {
    std::string name;
    std::vector<double> values;  // one a part
    Cell note;                   // behind the bar
  };
  std::vector<Bar> bars;
};

/// Cells by row and column; 1 is the best. Absent: nothing has a whole time there.
struct HeatMap {
  std::string title;
  std::vector<std::string> rows, columns;
  struct Square {
    std::optional<double> slowdown;
    bool tried = false, only_slower = false;  // given up as clearly slower, and nothing was wrong
    Cell label;
  };
  std::vector<std::vector<Square>> cells;
};

/// Predicted ranges, and what was seen.
struct RangeChart {
  std::string title, unit;
  struct Range {
    double lo = 0, hi = 0, seen = 0;
    Cell label;
  };
  std::vector<Range> ranges;
};

std::string svg(const StepChart& chart);
std::string svg(const BarChart& chart);
std::string svg(const HeatMap& chart);
std::string svg(const RangeChart& chart);

/// A text as HTML shows it, on one line or with its own; nothing of it is obeyed.
std::string html(const std::string& text);

}  // namespace harness::report
