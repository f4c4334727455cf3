#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/json.h"

// Enums and their texts. Code compares values; the text is what Lua, SQL, JSON, the command line and people see. A
// header declares an enum's texts by HARNESS_ENUM_TEXT(Type), and one .cpp holds the table (HARNESS_ENUM_TABLE in
// core/json_fields.h).
namespace harness {

/// nullopt: no value has this text.
template <typename Enum>
std::optional<Enum> named_if(std::string_view text) = delete;
/// Throws Error(bad_input), with the nearest known text, for an unknown one.
template <typename Enum>
Enum named(std::string_view text) = delete;
/// All texts in the order of the table.
template <typename Enum>
std::vector<std::string> names_of() = delete;

/// "unknown action 'tyr'; did you mean 'try'?", or all that are known; always throws Error(bad_input).
[[noreturn]] void refuse_name(const char* what, std::string_view text, const std::vector<std::string>& known);

}  // namespace harness

/// Declares name(value), the three functions above, and JSON as text.
#define HARNESS_ENUM_TEXT(Type)                         \
  std::string_view name(Type value);                    \
  template <>                                           \
  std::optional<Type> named_if<Type>(std::string_view); \
  template <>                                           \
  Type named<Type>(std::string_view);                   \
  template <>                                           \
  std::vector<std::string> names_of<Type>();            \
  void to_json(json& to, Type value);                   \
  void from_json(const json& from, Type& value)
