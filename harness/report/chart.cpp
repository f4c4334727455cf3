#include "harness/report/chart.h"

namespace harness::report {
namespace {

json chart_fields(const BarChart& chart) {
  json bars = json::array();
  for (const BarChart::Bar& bar : chart.bars)
    bars.push_back({{"name", bar.name}, {"values", bar.values}, {"note", cell_json(bar.note)}});
  return {{"kind", "bars"}, {"title", chart.title}, {"unit", chart.unit}, {"parts", chart.parts}, {"bars", bars}};
}

json square_json(const HeatMap::Square& square) {
  json object{{"tried", square.tried}, {"only_slower", square.only_slower}, {"label", cell_json(square.label)}};
  object["slowdown"] = square.slowdown ? json(*square.slowdown) : json();
  return object;
}

json chart_fields(const HeatMap& chart) {
  json cells = json::array();
  for (const auto& row : chart.cells) {
    json& squares = cells.emplace_back(json::array());
    for (const HeatMap::Square& square : row) squares.push_back(square_json(square));
  }
  return {{"kind", "heat"}, {"title", chart.title}, {"rows", chart.rows}, {"columns", chart.columns}, {"cells", cells}};
}

json chart_fields(const RangeChart& chart) {
  json ranges = json::array();
  for (const RangeChart::Range& range : chart.ranges)
    ranges.push_back({{"lo", range.lo}, {"hi", range.hi}, {"seen", range.seen}, {"label", cell_json(range.label)}});
  return {{"kind", "ranges"}, {"title", chart.title}, {"unit", chart.unit}, {"ranges", ranges}};
}

}  // namespace

json chart_json(const Chart& chart) {
  return std::visit([](const auto& each) { return chart_fields(each); }, chart);
}

}  // namespace harness::report
