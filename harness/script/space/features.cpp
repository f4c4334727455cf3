#include "harness/script/space/features.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace harness::script {
namespace {

constexpr std::size_t kMostProducts = 45;
constexpr std::size_t kMostUnordered = 12;  // values without an order that get a term each
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

bool all_numbers(const std::vector<Value>& values) {
  return std::ranges::all_of(values, [](const Value& value) { return number_in(value).has_value(); });
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
  if (all_numbers(values)) std::ranges::stable_sort(values, {}, [](const Value& value) { return *number_in(value); });
  return values;
}

}  // namespace

SpaceFeatures::SpaceFeatures(const SearchSpace& space) : space_(space) {
  for (const std::string& name : varying(space)) add_column(name);
  if (space.variants().size() > 1) parameters_.push_back({"variant", false, false, space.variants().size(), {}});
  for (std::size_t a = 0; a < parameters_.size(); ++a)
    for (std::size_t b = a + 1; b < parameters_.size() && products_.size() < kMostProducts; ++b)
      if (parameters_[a].positive && parameters_[b].positive) products_.emplace_back(a, b);
  for (std::size_t a = 0; a < parameters_.size(); ++a)
    for (std::size_t b = a + 1; b < parameters_.size() && rank_products_.size() < kMostProducts; ++b)
      if (parameters_[a].ordered && parameters_[b].ordered) rank_products_.emplace_back(a, b);
  for (const Column& column : parameters_) terms_ += terms_of(column);
  terms_ += rank_products_.size();
}

std::size_t SpaceFeatures::terms_of(const Column& column) {
  if (!column.ordered) return std::min(column.values, kMostUnordered);
  return column.values > 2 ? 2 : 1;
}

void SpaceFeatures::add_column(const std::string& name) {
  const std::vector<Value> values = ranked_values(space_, name);
  Column column{name, values.size() >= 3, values.size() <= 2 || all_numbers(values), values.size(), {}};
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

double SpaceFeatures::apart(std::size_t parameter, float one, float other) const {
  const Column& column = parameters_[parameter];
  if (one == other) return 0;
  if (!column.ordered || one < 0 || other < 0) return 1;
  return std::abs(static_cast<double>(one) - static_cast<double>(other)) / static_cast<double>(column.values - 1);
}

std::vector<double> SpaceFeatures::shares_of(const std::vector<double>& weights) const {
  std::vector<double> shares(parameters_.size(), 0);
  std::size_t term = 1;
  for (std::size_t i = 0; i < parameters_.size(); ++i)
    for (std::size_t last = term + terms_of(parameters_[i]); term < last; ++term)
      shares[i] += weights[term] * weights[term];
  for (const auto& [a, b] : rank_products_) {
    const double half = weights[term] * weights[term] / 2;
    shares[a] += half;
    shares[b] += half;
    ++term;
  }
  return shares;
}

/// From -1 to 1; 0 where the variant lacks the parameter.
double SpaceFeatures::centred_rank(const Column& column, std::size_t variant, const std::uint16_t* places) const {
  const Source& source = column.variants[variant];
  if (source.ranks.empty() || column.values < 2) return 0;
  return 2 * static_cast<double>(source.ranks[places[source.place]]) / static_cast<double>(column.values - 1) - 1;
}

void SpaceFeatures::append_terms(std::size_t point, std::vector<double>& cells) const {
  const std::size_t v = space_.variant_index(point);
  const std::uint16_t* places = space_.cells_of(point);
  cells.push_back(1);
  for (const Column& column : parameters_) {
    if (column.ordered) {
      const double rank = centred_rank(column, v, places);
      cells.push_back(rank);
      if (column.values > 2) cells.push_back(rank * rank);
      continue;
    }
    const bool absent = !column.variants.empty() && column.variants[v].ranks.empty();
    const Source* const source = column.variants.empty() ? nullptr : &column.variants[v];
    const auto held = source == nullptr ? v
                      : absent          ? column.values
                                        : static_cast<std::size_t>(source->ranks[places[source->place]]);
    for (std::size_t value = 0; value < std::min(column.values, kMostUnordered); ++value)
      cells.push_back(value == held ? 1 : 0);
  }
  for (const auto& [a, b] : rank_products_)
    cells.push_back(centred_rank(parameters_[a], v, places) * centred_rank(parameters_[b], v, places));
}

}  // namespace harness::script
