#include "harness/script/space/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "harness/core/suggest.h"

namespace harness::script {
namespace {

/// FNV-1a over the cells.
std::uint64_t hash_cells(const std::uint16_t* cells, std::size_t count) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < count; ++i) hash = (hash ^ cells[i]) * 0x100000001b3;
  return hash;
}

/// Index of a value among a parameter's; values.size() when it has none such.
std::vector<std::string> names_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> names{"variant"};
  for (const Parameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

/// Where nobody has said where to begin: of all points the one whose values are nearest to the middle of their lists.
/// The ends of a list are what somebody thought worth excluding beyond, and seldom fast.
std::size_t middle_of(const Space& space) {
  std::size_t middle = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < space.points.size(); ++i) {
    double distance = 0;
    for (std::size_t p = 0; p < space.parameters.size(); ++p) {
      const auto last = static_cast<double>(space.parameters[p].values.size() - 1);
      if (last > 0) distance += std::fabs(space.points[i][p] / last - 0.5);
    }
    if (distance < least) least = distance, middle = i;
  }
  return middle;
}

}  // namespace

SearchSpace::SearchSpace(const ArmSpace& space) {
  for (const auto& [name, points] : space.variants) {
    const std::size_t start = points.authored || !points.listed() ? points.start : middle_of(points);
    Variant variant{name, points.parameters, listed_size_, 0, start, points.later_starts, {}, points.rest};
    listed_ = listed_ && points.listed();
    if (points.listed()) {
      variant.count = points.points.size();
      variant.cells.reserve(variant.count * variant.parameters.size());
      for (const auto& point : points.points) variant.cells.insert(variant.cells.end(), point.begin(), point.end());
      listed_size_ += variant.count;
    }
    variants_.push_back(std::move(variant));
  }
  indexes_.resize(variants_.size());
  for (std::size_t v = 0; v < variants_.size(); ++v) {
    const Space& points = space.variants[v].second;
    if (points.listed()) continue;
    variants_[v].first = size();
    for (const auto& point : points.points) number(v, point.data());
    variants_[v].count = points.points.size();
  }
}

/// The number of a valid point of a variant that is not listed; a new one when it was not met before.
std::size_t SearchSpace::number(std::size_t v, const std::uint16_t* cells) const {
  Variant& variant = variants_[v];
  const std::size_t width = variant.parameters.size();
  std::string key(reinterpret_cast<const char*>(cells), width * sizeof(*cells));
  key += std::to_string(v);
  const auto [at, fresh] = numbers_.try_emplace(std::move(key), size());
  if (!fresh) return at->second;
  met_.push_back({static_cast<std::uint32_t>(v),
                  static_cast<std::uint32_t>(variant.cells.size() / std::max<std::size_t>(width, 1))});
  variant.cells.insert(variant.cells.end(), cells, cells + width);
  return at->second;
}

std::size_t SearchSpace::random(const std::function<std::uint64_t(std::uint64_t)>& below) const {
  if (listed_) return below(size());
  std::vector<std::size_t> choices;
  for (std::size_t v = 0; v < variants_.size(); ++v)
    if (variants_[v].count > 0) choices.push_back(v);
  const std::size_t v = choices[below(choices.size())];
  if (!variants_[v].rest) return variants_[v].first + below(variants_[v].count);
  const auto drawn = variants_[v].rest->draw(below);
  return drawn ? number(v, drawn->data()) : variants_[v].first + variants_[v].start;
}

std::size_t SearchSpace::variant_index(std::size_t point) const {
  if (point >= listed_size_) return met_[point - listed_size_].variant;
  std::size_t index = 0;
  while (variants_[index].rest || point >= variants_[index].first + variants_[index].count) ++index;
  return index;
}

const std::uint16_t* SearchSpace::cells_of(std::size_t point) const {
  const Variant& variant = variant_of(point);
  const std::size_t place = point < listed_size_ ? point - variant.first : met_[point - listed_size_].place;
  return variant.cells.data() + place * variant.parameters.size();
}

const Value& SearchSpace::value(std::size_t point, std::size_t parameter) const {
  return variant_of(point).parameters[parameter].values[cells_of(point)[parameter]];
}

std::pair<std::string, Config> SearchSpace::configuration(std::size_t point) const {
  const Variant& variant = variant_of(point);
  Config config;
  for (std::size_t p = 0; p < variant.parameters.size(); ++p) config[variant.parameters[p].name] = value(point, p);
  return {variant.name, config};
}

const std::vector<SearchSpace::Entry>& SearchSpace::index_of(std::size_t v) const {
  std::vector<Entry>& index = indexes_[v];
  const Variant& variant = variants_[v];
  if (!index.empty()) return index;
  index.reserve(variant.count);
  const std::size_t width = variant.parameters.size();
  for (std::size_t i = 0; i < variant.count; ++i) {
    index.emplace_back(hash_cells(variant.cells.data() + i * width, width), static_cast<std::uint32_t>(i));
  }
  std::sort(index.begin(), index.end());
  return index;
}

std::optional<std::size_t> SearchSpace::find_cells(std::size_t v, const std::uint16_t* cells) const {
  const Variant& variant = variants_[v];
  const std::size_t width = variant.parameters.size();
  if (variant.rest) {
    std::string key(reinterpret_cast<const char*>(cells), width * sizeof(*cells));
    const auto known = numbers_.find(key + std::to_string(v));
    if (known != numbers_.end()) return known->second;
    if (!variant.rest->allows({cells, cells + width})) return std::nullopt;
    return number(v, cells);
  }
  const auto& index = index_of(v);
  const std::uint64_t hash = hash_cells(cells, width);
  for (auto entry = std::lower_bound(index.begin(), index.end(), Entry{hash, 0});
       entry != index.end() && entry->first == hash; ++entry) {
    if (std::equal(cells, cells + width, variant.cells.data() + entry->second * width))
      return variant.first + entry->second;
  }
  return std::nullopt;
}

std::optional<std::size_t> SearchSpace::find(const std::string& name, const Config& config, std::string& why) const {
  std::vector<std::string> known;
  for (const Variant& variant : variants_) known.push_back(variant.name);
  const auto at = name.empty() && known.size() == 1 ? known.begin() : std::find(known.begin(), known.end(), name);
  if (at == known.end()) {
    why = fmt::format("variant '{}' is not in this space{}", name, did_you_mean(name, known));
    return std::nullopt;
  }
  const auto v = static_cast<std::size_t>(at - known.begin());
  const auto& parameters = variants_[v].parameters;
  std::vector<std::uint16_t> cells;
  for (const Parameter& parameter : parameters) {
    const auto given = config.find(parameter.name);
    if (given == config.end()) {
      why = fmt::format("the configuration lacks parameter '{}'", parameter.name);
      return std::nullopt;
    }
    const std::size_t place = place_of(parameter, given->second);
    if (place == parameter.values.size()) {
      why = fmt::format("parameter '{}' has no value {}", parameter.name, to_text(given->second));
      return std::nullopt;
    }
    cells.push_back(static_cast<std::uint16_t>(place));
  }
  for (const auto& [given, value] : config) {
    if (std::ranges::find(parameters, given, &Parameter::name) != parameters.end()) continue;
    why = fmt::format("variant '{}' has no parameter '{}'{}", *at, given, did_you_mean(given, names_of(parameters)));
    return std::nullopt;
  }
  const auto point = find_cells(v, cells.data());
  if (!point)
    why = fmt::format("the configuration {} of variant '{}' is not valid on this workload", to_text(config), *at);
  return point;
}

std::size_t SearchSpace::counterpart(std::size_t point, std::size_t v) const {
  const Variant& from = variant_of(point);
  const Variant& to = variants_[v];
  const auto width = static_cast<std::ptrdiff_t>(to.parameters.size());
  const auto start = to.cells.begin() + static_cast<std::ptrdiff_t>(to.start) * width;
  std::vector<std::uint16_t> cells(start, start + width);
  for (std::size_t p = 0; p < to.parameters.size(); ++p) {
    const auto same = std::ranges::find(from.parameters, to.parameters[p].name, &Parameter::name);
    if (same == from.parameters.end()) continue;
    const Value& held = value(point, static_cast<std::size_t>(same - from.parameters.begin()));
    const std::size_t place = place_of(to.parameters[p], held);
    if (place < to.parameters[p].values.size()) cells[p] = static_cast<std::uint16_t>(place);
  }
  return find_cells(v, cells.data()).value_or(to.first + to.start);
}

std::vector<std::size_t> SearchSpace::neighbours(std::size_t point) const {
  const std::size_t v = variant_index(point);
  const Variant& variant = variants_[v];
  std::vector<std::uint16_t> cells(cells_of(point), cells_of(point) + variant.parameters.size());
  std::vector<std::size_t> found;
  for (std::size_t p = 0; p < cells.size(); ++p) {
    const std::uint16_t here = cells[p];
    for (std::uint16_t other = 0; other < variant.parameters[p].values.size(); ++other) {
      cells[p] = other;
      const auto neighbour = other == here ? std::nullopt : find_cells(v, cells.data());
      if (neighbour) found.push_back(*neighbour);
    }
    cells[p] = here;
  }
  for (std::size_t other = 0; other < variants_.size(); ++other) {
    if (other != v && variants_[other].count > 0) found.push_back(counterpart(point, other));
  }
  return found;
}

}  // namespace harness::script
