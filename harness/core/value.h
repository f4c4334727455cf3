#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "harness/core/json.h"

namespace harness {

/// What a workload field or a tunable parameter may be. Lua booleans, integers, floats and strings map one to one.
using Value = std::variant<bool, std::int64_t, double, std::string>;

/// A configuration: one value for each parameter of a variant. Sorted by name, so it prints and hashes the same
/// everywhere.
using Config = std::map<std::string, Value>;

std::string to_text(const Value& value);          // 4, 0.5, true, bf16
std::string to_text(const Config& config);        // BLOCK=128 VEC=4; "" when empty
Value parse_value(const std::string& text);       // true/false, integer, float, else string
bool same_value(const Value& a, const Value& b);  // 4 and 4.0 are the same

json value_to_json(const Value& value);
Value value_from_json(const json& j);
json config_to_json(const Config& config);
Config config_from_json(const json& j);

}  // namespace harness

// A variant of plain alternatives converts by its active member.
namespace nlohmann {
template <>
struct adl_serializer<harness::Value> {
  static void to_json(json& j, const harness::Value& value) { j = harness::value_to_json(value); }
  static void from_json(const json& j, harness::Value& value) { value = harness::value_from_json(j); }
};
}  // namespace nlohmann
