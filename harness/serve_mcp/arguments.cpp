#include "harness/serve_mcp/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness::mcp {
namespace {

bool of_type(const json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  return type == "boolean" && value.is_boolean();
}

void check(const Tool& tool, const std::string& name, const json& value) {
  const json& properties = tool.input.at("properties");
  if (!properties.contains(name)) {
    std::vector<std::string> known;
    for (const auto& [each, schema] : properties.items()) known.push_back(each);
    throw bad_input(fmt::format("{} takes no '{}'{}", tool.name, name, did_you_mean(name, known)));
  }
  const std::string type = properties[name].value("type", "string");
  if (!value.is_null() && !of_type(value, type))
    throw bad_input(fmt::format("{}: '{}' must be of type {}", tool.name, name, type));
}

}  // namespace

Arguments::Arguments(const Tool& tool, const json& given) : given_(given.is_null() ? json::object() : given) {
  if (!given_.is_object()) throw bad_input(fmt::format("{}: 'arguments' must be an object", tool.name));
  for (const auto& [name, value] : given_.items()) check(tool, name, value);
  for (const json& name : tool.input.value("required", json::array()))
    if (!has(name.get<std::string>().c_str()))
      throw bad_input(fmt::format("{} needs '{}'", tool.name, name.get<std::string>()));
}

std::optional<std::string> Arguments::maybe_text(const char* name) const {
  return has(name) ? std::optional(text(name)) : std::nullopt;
}

std::optional<double> Arguments::maybe_number(const char* name) const {
  return has(name) ? std::optional(given_[name].get<double>()) : std::nullopt;
}

std::int64_t Arguments::whole(const char* name, std::int64_t otherwise) const {
  return has(name) ? given_[name].get<std::int64_t>() : otherwise;
}

std::int64_t Arguments::within(const char* name, std::int64_t otherwise, std::int64_t least, std::int64_t most) const {
  return std::clamp(whole(name, otherwise), least, most);
}

Config Arguments::config(const char* name) const {
  if (!has(name)) return {};
  for (const auto& [parameter, value] : given_[name].items())
    if (!value.is_primitive() || value.is_null())
      throw bad_input(fmt::format("'{}': the value of {} must be a number, a text or a truth value", name, parameter));
  return config_from_json(given_[name]);
}

}  // namespace harness::mcp
