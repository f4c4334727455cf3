#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/report/cell.h"

// Charts as plain values. The page draws them (serve_http/page/source/report.ts).
namespace harness::report {

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

using Chart = std::variant<BarChart, HeatMap, RangeChart>;

/// {"kind":"bars" | "heat" | "ranges", ...}: numbers as they are, labels as cell_json.
json chart_json(const Chart& chart);

}  // namespace harness::report
