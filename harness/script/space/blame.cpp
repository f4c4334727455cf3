#include "harness/script/space/blame.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace harness::script {
namespace {

constexpr int kMostTries = 4000;  // a parameter

/// Whole numbers worth trying in place of a parameter's values: 1 to 8, multiples of 8 to 64, powers of two to 65536.
std::vector<Value> other_values(const Parameter& parameter) {
  const bool numeric =
      std::ranges::all_of(parameter.values, [](const Value& v) { return std::holds_alternative<std::int64_t>(v); });
  std::vector<Value> others;
  if (!numeric) return others;
  for (std::int64_t v = 1; v <= 8; ++v) others.emplace_back(v);
  for (std::int64_t v = 16; v <= 64; v += 8) others.emplace_back(v);
  for (std::int64_t v = 128; v <= 65536; v *= 2) others.emplace_back(v);
  return others;
}

/// Sets `values` to the next point, parameter `fixed` left alone; false at the end.
bool advance(const std::vector<Parameter>& parameters, std::vector<std::size_t>& indices, std::vector<Value>& values,
             std::size_t fixed) {
  for (std::size_t p = parameters.size(); p-- > 0;) {
    if (p == fixed) continue;
    indices[p] = (indices[p] + 1) % parameters[p].values.size();
    values[p] = parameters[p].values[indices[p]];
    if (indices[p] != 0) return true;
  }
  return false;
}

/// A value outside the list of parameter `p` that the constraint would allow with listed values of the others.
std::optional<Value> helpful_value(const std::vector<Parameter>& parameters, std::size_t p, Constraint& constraint) {
  int tries = 0;
  for (const Value& other : other_values(parameters[p])) {
    std::vector<std::size_t> indices(parameters.size(), 0);
    std::vector<Value> values;
    for (const Parameter& parameter : parameters) values.push_back(parameter.values.front());
    values[p] = other;
    do {
      if (++tries > kMostTries) return std::nullopt;
      if (constraint.allows(values)) return other;
    } while (advance(parameters, indices, values, p));
  }
  return std::nullopt;
}

}  // namespace

Error impossible_space(VariantManifest& variant, const Workload& workload, Constraint& constraint) {
  const auto& parameters = variant.info().parameters;
  std::vector<std::pair<std::string, Value>> blamed;
  try {
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      if (const auto value = helpful_value(parameters, p, constraint)) blamed.emplace_back(parameters[p].name, *value);
    }
  } catch (const Error&) {
    blamed.clear();  // the constraint is only defined for listed values
  }
  if (blamed.size() == 1) {
    return variant.manifest().error(
        constraint.line(),
        fmt::format("parameter '{}' has no value left on workload '{}' after the constraint of variant '{}'; "
                    "add a value such as {}",
                    blamed[0].first, workload.name, variant.info().name, to_text(blamed[0].second)));
  }
  return variant.manifest().error(
      constraint.line(), fmt::format("variant '{}' has no configuration left on workload '{}' after its constraint; "
                                     "add parameter values or loosen the constraint",
                                     variant.info().name, workload.name));
}

}  // namespace harness::script
