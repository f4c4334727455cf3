#include "harness/script/space/features.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace harness::script {
namespace {

constexpr std::size_t kMostProducts = 45;
constexpr float kAbsent = -1;

std::optional<double> number_in(const Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::vector<std::string> varying(const SearchSpace& space) {
  std::vector<std::string> names;
  for (const SearchSpace::Variant& variant : space.variants()) {
    for (const Parameter& parameter : variant.parameters) {
      const bool shared = space.variants().size() > 1;  // another variant may have another value
      if ((shared || parameter.values.size() > 1) && std::ranges::find(names, parameter.name) == names.end())
        names.push_back(parameter.name);
    }
  }
  return names;
}

/// All values of a parameter, in the order of their ranks.
std::vector<Value> ranked_values(const SearchSpace& space, const std::string& name) {
  std::vector<Value> values;
  for (const SearchSpace::Variant& variant : space.variants()) {
    const auto at = std::ranges::find(variant.parameters, name, &Parameter::name);
    if (at == variant.parameters.end()) continue;
    for (const Value& value : at->values)
      if (std::ranges::none_of(values, [&](const Value& held) { return same_value(held, value); }))
        values.push_back(value);
  }
  if (std::ranges::all_of(values, [](const Value& value) { return number_in(value).has_value(); }))
    std::ranges::stable_sort(values, {}, [](const Value& value) { return *number_in(value); });
  return values;
}

}  // namespace

SpaceFeatures::SpaceFeatures(const SearchSpace& space) : space_(space) {
  for (const std::string& name : varying(space)) add_column(name);
  if (space.variants().size() > 1) parameters_.push_back({"variant", false, {}});
  for (std::size_t a = 0; a < parameters_.size(); ++a)
    for (std::size_t b = a + 1; b < parameters_.size() && products_.size() < kMostProducts; ++b)
      if (parameters_[a].positive && parameters_[b].positive) products_.emplace_back(a, b);
}

void SpaceFeatures::add_column(const std::string& name) {
  const std::vector<Value> values = ranked_values(space_, name);
  Column column{name, values.size() >= 3, {}};
  for (const Value& value : values) column.positive = column.positive && number_in(value).value_or(0) > 0;
  for (const SearchSpace::Variant& variant : space_.variants()) {
    Source& source = column.variants.emplace_back();
    const auto at = std::ranges::find(variant.parameters, name, &Parameter::name);
    if (at == variant.parameters.end()) continue;
    source.place = static_cast<std::size_t>(at - variant.parameters.begin());
    for (const Value& value : at->values) {
      const auto same = std::ranges::find_if(values, [&](const Value& held) { return same_value(held, value); });
      source.ranks.push_back(static_cast<float>(same - values.begin()));
      source.logarithms.push_back(column.positive ? static_cast<float>(std::log2(*number_in(value))) : 0.0F);
    }
  }
  parameters_.push_back(std::move(column));
}

void SpaceFeatures::append(std::size_t point, std::vector<float>& cells) const {
  const std::size_t v = space_.variant_index(point);
  const std::uint16_t* places = space_.cells_of(point);
  for (const Column& column : parameters_) {
    if (column.variants.empty()) {
      cells.push_back(static_cast<float>(v));
      continue;
    }
    const Source& source = column.variants[v];
    cells.push_back(source.ranks.empty() ? kAbsent : source.ranks[places[source.place]]);
  }
  for (const auto& [a, b] : products_) {
    const Source &first = parameters_[a].variants[v], &second = parameters_[b].variants[v];
    const bool absent = first.logarithms.empty() || second.logarithms.empty();
    cells.push_back(absent ? kAbsent : first.logarithms[places[first.place]] + second.logarithms[places[second.place]]);
  }
}

}  // namespace harness::script
