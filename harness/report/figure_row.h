#pragma once
#include <optional>
#include <string>

#include "harness/core/campaign_figures.h"
#include "harness/core/value.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"

namespace harness::report {

/// One row of a figure, asked by the names of its columns. Both outlive it.
class FigureRow {
 public:
  FigureRow(const Figure& figure, const json& row) : figure_(figure), row_(row) {}
  /// Harmless and of bounded length.
  std::string text(const char* column) const { return clean(bounded(whole_text(column), kLongestText)); }
  std::string whole_text(const char* column) const { return report::text(cell(figure_.at(row_, column))); }
  bool has(const char* column) const { return !figure_.at(row_, column).is_null(); }
  std::optional<double> number(const char* column) const {
    const json& value = figure_.at(row_, column);
    return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
  }
  double sum(const char* column) const { return number(column).value_or(0); }
  bool flag(const char* column) const { return sum(column) != 0; }
  /// A number of this unit, or that it is not known.
  Quantity of(const char* column, Unit unit, int digits = -1) const { return {number(column), unit, digits}; }
  /// The seconds that were spent: 0 where none are recorded.
  Quantity spent(const char* column) const { return {sum(column), Unit::s}; }
  /// Money, where there was a price.
  Quantity usd(const char* column) const { return has(column) ? of(column, Unit::usd) : Quantity{}; }
  /// A number as such, or words.
  Cell value(const char* column) const { return number(column) ? cell(figure_.at(row_, column)) : Cell(text(column)); }
  /// JSON text as a configuration is written: "BLOCK=128 VEC=4".
  std::string config(const char* column = "config") const {
    const json parsed = parse_json_if_valid(text(column));
    return parsed.is_object() ? clean(to_text(config_from_json(parsed))) : text(column);
  }

 private:
  static constexpr std::size_t kLongestText = 1000;
  const Figure& figure_;
  const json& row_;
};

}  // namespace harness::report
