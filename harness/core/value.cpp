#include "harness/core/value.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "harness/core/error.h"

namespace harness {
namespace {

template <typename T>
std::string shortest(T number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number).ptr;
  return {text, end};
}

template <typename T>
bool parse_all(std::string_view text, T& number) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), number);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

/// Keeps words such as "inf" and "nan" strings: they are names of options more often than numbers.
bool looks_like_a_number(std::string_view text) {
  const auto first = text.find_first_not_of("+-.");
  return first != std::string_view::npos && first <= 2 && text[first] >= '0' && text[first] <= '9';
}

bool same_number(std::int64_t integer, double real) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  return real >= -kLimit && real < kLimit && std::trunc(real) == real && static_cast<std::int64_t>(real) == integer;
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return shortest(*integer);
  if (const auto* real = std::get_if<double>(&value)) return shortest(*real);
  return std::get<std::string>(value);
}

std::string to_text(const Config& config) {
  std::string text;
  for (const auto& [name, value] : config) {
    if (!text.empty()) text += ' ';
    text += name + '=' + to_text(value);
  }
  return text;
}

Value parse_value(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  if (!looks_like_a_number(text)) return text;
  const std::string_view digits = text[0] == '+' ? std::string_view(text).substr(1) : std::string_view(text);
  std::int64_t integer = 0;
  if (parse_all(digits, integer)) return integer;
  double real = 0;
  if (parse_all(digits, real)) return real;
  return text;
}

bool same_value(const Value& a, const Value& b) {
  const auto* a_integer = std::get_if<std::int64_t>(&a);
  const auto* b_integer = std::get_if<std::int64_t>(&b);
  const auto* a_real = std::get_if<double>(&a);
  const auto* b_real = std::get_if<double>(&b);
  if (a_integer != nullptr && b_real != nullptr) return same_number(*a_integer, *b_real);
  if (a_real != nullptr && b_integer != nullptr) return same_number(*b_integer, *a_real);
  if (a_real != nullptr && b_real != nullptr && std::isnan(*a_real) && std::isnan(*b_real)) return true;
  return a == b;
}

/// JSON has no infinities or NaN: those are written {"float": "-inf"}.
json value_to_json(const Value& value) {
  const auto* real = std::get_if<double>(&value);
  if (real != nullptr && !std::isfinite(*real)) return json{{"float", shortest(*real)}};
  return std::visit([](const auto& held) { return json(held); }, value);
}

Value value_from_json(const json& j) {
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_unsigned() && j.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return j.get<double>();
  }
  if (j.is_number_integer()) return j.get<std::int64_t>();
  if (j.is_number_float()) return j.get<double>();
  if (j.is_string()) return j.get<std::string>();
  double real = 0;
  if (j.is_object() && j.size() == 1 && j.contains("float") && j["float"].is_string() &&
      parse_all(j["float"].get_ref<const std::string&>(), real)) {
    return real;
  }
  throw bad_input("'" + json_text(j) + "' is not a value; use a boolean, a number or a string");
}

json config_to_json(const Config& config) {
  json j = json::object();
  for (const auto& [name, value] : config) j[name] = value_to_json(value);
  return j;
}

Config config_from_json(const json& j) {
  if (!j.is_object())
    throw bad_input("'" + json_text(j) + "' is not a configuration; use an object of names and values");
  Config config;
  for (const auto& [name, value] : j.items()) config[name] = value_from_json(value);
  return config;
}

}  // namespace harness
