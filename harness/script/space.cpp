#include "harness/script/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "harness/core/suggest.h"
#include "harness/script/space_blame.h"

namespace harness::script {
namespace {

constexpr std::size_t kMostPoints = 2'000'000;
constexpr std::chrono::seconds kPatience{60};

using Lists = std::vector<std::vector<Value>>;

Facts facts_of(const std::map<std::string, Value>& values) {
  return {values.begin(), values.end()};
}

Facts first_values(const VariantManifest& variant) {
  Facts facts;
  for (const Parameter& parameter : variant.info().parameters) facts[parameter.name] = parameter.values.front();
  return facts;
}

Lists value_lists(const VariantManifest& variant) {
  Lists lists;
  for (const Parameter& parameter : variant.info().parameters) lists.push_back(parameter.values);
  return lists;
}

/// Counts through all points; `visit(indices)` returns false to stop.
void for_each_point(const Lists& lists, const std::function<bool(const std::vector<std::uint16_t>&)>& visit) {
  std::vector<std::uint16_t> indices(lists.size(), 0);
  while (visit(indices)) {
    std::size_t p = lists.size();
    while (p > 0 && ++indices[p - 1] == lists[p - 1].size()) indices[--p] = 0;
    if (p == 0) return;
  }
}

std::vector<Value> values_at(const Lists& lists, const std::vector<std::uint16_t>& indices) {
  std::vector<Value> values;
  values.reserve(indices.size());
  for (std::size_t p = 0; p < indices.size(); ++p) values.push_back(lists[p][indices[p]]);
  return values;
}

/// Visits the allowed points of `lists`; `visit` returns false to stop.
void for_each_allowed(VariantManifest& variant, Constraint& constraint, const Lists& lists,
                      const std::function<bool(const std::vector<std::uint16_t>&)>& visit) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  for_each_point(lists, [&](const std::vector<std::uint16_t>& indices) {
    if (std::chrono::steady_clock::now() > deadline) {
      throw variant.manifest().error(constraint.line(),
                                     "the constraint 'valid' took more than 60 s over the whole space; simplify it");
    }
    return !constraint.allows(values_at(lists, indices)) || visit(indices);
  });
}

void check_size(const VariantManifest& variant, const Lists& lists) {
  std::size_t points = 1;
  for (const auto& list : lists) {
    points *= list.size();
    if (points > kMostPoints) {
      throw bad_input(variant.info().file + ": the parameters span more than 2000000 points; list fewer values");
    }
  }
}

const Value& listed_value(const VariantManifest& variant, const Parameter& parameter, const Value& given) {
  for (const Value& value : parameter.values) {
    if (same_value(value, given)) return value;
  }
  std::vector<std::string> texts;
  for (const Value& value : parameter.values) texts.push_back(to_text(value));
  throw bad_input(fmt::format("{}: parameter '{}' has no value {}; its values are: {}{}", variant.info().file,
                              parameter.name, to_text(given), fmt::join(texts, ", "),
                              did_you_mean(to_text(given), texts)));
}

Config configuration_of(const VariantManifest& variant, const std::vector<Value>& values) {
  Config config;
  for (std::size_t p = 0; p < values.size(); ++p) config[variant.info().parameters[p].name] = values[p];
  return config;
}

}  // namespace

Constraint::Constraint(VariantManifest& variant, const Workload& workload, const DeviceInfo& device)
    : variant_(variant),
      valid_(variant.reader().function("valid")),
      parameters_(variant.manifest(), "parameter list", first_values(variant)),
      workload_(variant.manifest(), "workload", facts_of(workload.values)),
      device_(variant.manifest(), "device", facts_of(device_values(device))) {
  for (const Parameter& parameter : variant.info().parameters) current_.push_back(parameter.values.front());
}

bool Constraint::allows(const std::vector<Value>& values) {
  if (valid_ == nullptr) return true;
  for (std::size_t p = 0; p < values.size(); ++p) {
    if (values[p] == current_[p]) continue;
    parameters_.set(variant_.info().parameters[p].name, values[p]);
    current_[p] = values[p];
  }
  const Node result = variant_.manifest().call(*valid_, {&parameters_, &workload_, &device_});
  if (const bool* allowed = std::get_if<bool>(&result.leaf); allowed != nullptr && !result.table) return *allowed;
  throw variant_.manifest().error(line(), "valid must return true or false, not " + result.described());
}

Space enumerate_space(VariantManifest& variant, const Workload& workload, const DeviceInfo& device) {
  Space space;
  space.parameters = variant.info().parameters;
  const Lists lists = value_lists(variant);
  check_size(variant, lists);
  Constraint constraint(variant, workload, device);
  for_each_allowed(variant, constraint, lists, [&](const std::vector<std::uint16_t>& indices) {
    space.points.push_back(indices);
    return true;
  });
  if (space.points.empty()) throw impossible_space(variant, workload, constraint);
  return space;
}

Config first_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device,
                           const Config& given) {
  Lists lists = value_lists(variant);
  for (const auto& [name, value] : given) {
    const Parameter& parameter = variant.parameter(name);
    lists[static_cast<std::size_t>(&parameter - variant.info().parameters.data())] = {
        listed_value(variant, parameter, value)};
  }
  check_size(variant, lists);
  Constraint constraint(variant, workload, device);
  std::optional<Config> found;
  for_each_allowed(variant, constraint, lists, [&](const std::vector<std::uint16_t>& indices) {
    found = configuration_of(variant, values_at(lists, indices));
    return false;
  });
  if (found) return *found;
  if (given.empty()) throw impossible_space(variant, workload, constraint);
  throw variant.manifest().error(
      constraint.line(),
      fmt::format("no configuration with {} satisfies the constraint of variant '{}' on workload '{}'; "
                  "change or leave out a value",
                  to_text(given), variant.info().name, workload.name));
}

void check_configuration(VariantManifest& variant, const Workload& workload, const DeviceInfo& device,
                         const Config& config) {
  for (const auto& [name, value] : config) listed_value(variant, variant.parameter(name), value);
  std::vector<Value> values;
  for (const Parameter& parameter : variant.info().parameters) {
    const auto found = config.find(parameter.name);
    if (found == config.end())
      throw bad_input(fmt::format("{}: the configuration misses parameter '{}'", variant.info().file, parameter.name));
    values.push_back(listed_value(variant, parameter, found->second));
  }
  Constraint constraint(variant, workload, device);
  if (constraint.allows(values)) return;
  throw variant.manifest().error(
      constraint.line(), fmt::format("the constraint of variant '{}' refuses {} on workload '{}'", variant.info().name,
                                     to_text(config), workload.name));
}

}  // namespace harness::script
