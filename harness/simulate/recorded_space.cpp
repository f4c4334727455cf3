#include "harness/simulate/recorded_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/core/error.h"

namespace harness::simulate {
namespace {

std::string packed(const std::vector<std::uint16_t>& cells) {
  return {reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(cells[0])};
}

std::size_t index_of(const std::vector<Value>& values, const Value& value) {
  const auto same = [&](const Value& held) { return same_value(held, value); };
  return static_cast<std::size_t>(std::ranges::find_if(values, same) - values.begin());
}

std::size_t position_of(const std::vector<Parameter>& parameters, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(parameters, name, &Parameter::name) - parameters.begin());
}

/// Numbers ascending; lists that hold anything else stay in the order of the file.
std::vector<std::uint16_t> ascending_places(const std::vector<Value>& values) {
  const auto number = [](const Value& value) {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return *std::get_if<double>(&value);
  };
  const bool numeric = std::ranges::all_of(values, [](const Value& value) {
    return std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value);
  });
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  if (numeric)
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return number(values[a]) < number(values[b]); });
  std::vector<std::uint16_t> places(values.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) places[order[rank]] = static_cast<std::uint16_t>(rank);
  return places;
}

}  // namespace

std::string space_name(const std::string& file) {
  const std::filesystem::path path = std::filesystem::absolute(file);
  std::string stem = path.filename().string();
  for (const char* ending : {".gz", ".jsonl", ".json"})
    if (stem.ends_with(ending)) stem.resize(stem.size() - std::string(ending).size());
  return path.parent_path().filename().string() + "/" + stem;
}

void tell_earlier(RecordedSpace& space, const RecordedSpace& known) {
  std::size_t place = 0;
  for (const auto& [variant, points] : known.arm.variants) {
    for (std::size_t i = 0; i < points.points.size(); ++i, ++place) {
      const Record& record = known.records[place];
      EarlierResult result{known.arm.id.workload,    known.device,   variant,
                           configuration(points, i), record.outcome, std::nullopt};
      if (record.time_ms) result.time_ns = *record.time_ms * 1e6;
      space.arm.earlier.push_back(std::move(result));
    }
  }
}

std::optional<std::size_t> RecordedSpace::find(const std::string& variant, const Config& config) const {
  for (std::size_t v = 0; v < arm.variants.size(); ++v) {
    if (arm.variants[v].first != variant) continue;
    const auto& parameters = arm.variants[v].second.parameters;
    if (config.size() != parameters.size()) return std::nullopt;
    std::vector<std::uint16_t> cells;
    cells.reserve(parameters.size());
    for (const Parameter& parameter : parameters) {
      const auto given = config.find(parameter.name);
      if (given == config.end()) return std::nullopt;
      cells.push_back(static_cast<std::uint16_t>(index_of(parameter.values, given->second)));
    }
    const auto found = places_[v].find(packed(cells));
    return found == places_[v].end() ? std::nullopt : std::optional(found->second);
  }
  return std::nullopt;
}

void RecordedSpaceBuilder::declare(const std::string& name, const std::string& parameter,
                                   const std::vector<Value>& values) {
  Variant& variant = variants_[name];
  const std::size_t p = position_of(variant.parameters, parameter);
  if (p == variant.parameters.size()) variant.parameters.push_back({parameter, {}, ""});
  auto& held = variant.parameters[p].values;
  for (const Value& value : values)
    if (index_of(held, value) == held.size()) held.push_back(value);
}

std::vector<std::uint16_t> RecordedSpaceBuilder::cells_of(Variant& variant, const NamedValues& config) {
  if (variant.rows.empty())
    for (const auto& [name, value] : config)
      if (position_of(variant.parameters, name) == variant.parameters.size())
        variant.parameters.push_back({name, {}, ""});
  if (config.size() != variant.parameters.size())
    throw bad_input(
        fmt::format("a configuration has {} parameters and others of its space have {}; all must have the "
                    "same ones",
                    config.size(), variant.parameters.size()));
  std::vector<std::uint16_t> cells(config.size());
  for (std::size_t i = 0; i < config.size(); ++i) {
    const auto& [name, value] = config[i];
    const bool in_order = variant.parameters[i].name == name;
    const std::size_t p = in_order ? i : position_of(variant.parameters, name);
    if (p == variant.parameters.size())
      throw bad_input(fmt::format("a configuration has the parameter '{}', which others of its space lack", name));
    auto& values = variant.parameters[p].values;
    const std::size_t at = index_of(values, value);
    if (at == values.size()) values.push_back(value);
    if (at > 0xffff) throw bad_input(fmt::format("the parameter '{}' has more than 65536 values", name));
    cells[p] = static_cast<std::uint16_t>(at);
  }
  return cells;
}

void RecordedSpaceBuilder::add(const std::string& name, const NamedValues& config, Record record) {
  const auto refuse_unless = [&](bool possible, const char* what, double number) {
    if (possible && std::isfinite(number)) return;
    std::string words;
    for (const auto& [parameter, value] : config) words += " " + parameter + "=" + to_text(value);
    throw bad_input(fmt::format("the configuration{} has {} of {}, which nothing takes", words, what, number));
  };
  if (record.time_ms) refuse_unless(*record.time_ms > 0, "a time", *record.time_ms);
  refuse_unless(record.cost_s >= 0, "a cost", record.cost_s);
  Variant& variant = variants_[name];
  std::vector<std::uint16_t> cells = cells_of(variant, config);
  const auto [at, fresh] = variant.place.try_emplace(packed(cells), variant.rows.size());
  if (fresh) variant.rows.emplace_back(std::move(cells), std::move(record));
  else variant.rows[at->second].second = std::move(record);
}

RecordedSpace RecordedSpaceBuilder::finish(const std::string& file) {
  RecordedSpace space;
  space.name = space_name(file);
  space.file = file;
  for (auto& [name, variant] : variants_) {
    Space points;
    std::vector<std::vector<std::uint16_t>> ranks;
    for (const Parameter& parameter : variant.parameters) {
      ranks.push_back(ascending_places(parameter.values));
      Parameter sorted = parameter;
      for (std::size_t i = 0; i < parameter.values.size(); ++i) sorted.values[ranks.back()[i]] = parameter.values[i];
      points.parameters.push_back(std::move(sorted));
    }
    for (auto& [cells, record] : variant.rows)
      for (std::size_t p = 0; p < cells.size(); ++p) cells[p] = ranks[p][cells[p]];
    std::ranges::sort(
        variant.rows, {}, [](const auto& row) -> const auto& { return row.first; });
    auto& places = space.places_.emplace_back();
    places.reserve(variant.rows.size());
    for (auto& [cells, record] : variant.rows) {
      places.emplace(packed(cells), space.records.size());
      points.points.push_back(std::move(cells));
      space.records.push_back(std::move(record));
    }
    space.arm.variants.emplace_back(name, std::move(points));
  }
  if (std::ranges::none_of(space.records, [](const Record& record) { return record.time_ms.has_value(); }))
    throw bad_input(fmt::format("'{}' holds {}; a space to search needs at least one configuration with a time", file,
                                space.records.empty() ? "no configurations" : "no configuration that passed"));
  return space;
}

}  // namespace harness::simulate
