#include "harness/core/campaign_figures.h"

#include <algorithm>

namespace harness {

const json& Figure::at(const json& row, const std::string& column) const {
  static const json kNothing;
  const auto found = std::ranges::find(columns, column);
  const auto place = static_cast<std::size_t>(found - columns.begin());
  return found == columns.end() || place >= row.size() ? kNothing : row[place];
}

const Figure& CampaignFigures::of(const std::string& name) const {
  static const Figure kNone;
  const auto found = std::ranges::find(figures, name, &Figure::name);
  return found == figures.end() ? kNone : *found;
}

}  // namespace harness
