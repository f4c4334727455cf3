#pragma once
#include "harness/core/enum_text.h"
#include "harness/core/json.h"

// The bodies of to_json and from_json, for .cpp files: a header only declares the two functions, so that a value's
// conversion is compiled once and not in every unit that reads the header.

/// A struct as an object with these fields; reading one throws json::exception where a field is missing.
#define HARNESS_JSON(Type, ...)                                                \
  void to_json(json& nlohmann_json_j, const Type& nlohmann_json_t) {           \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))   \
  }                                                                            \
  void from_json(const json& nlohmann_json_j, Type& nlohmann_json_t) {         \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM, __VA_ARGS__)) \
  }

/// The same; a field that is missing has the value of a fresh Type.
#define HARNESS_JSON_DEFAULTS(Type, ...)                                                    \
  void to_json(json& nlohmann_json_j, const Type& nlohmann_json_t) {                        \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_TO, __VA_ARGS__))                \
  }                                                                                         \
  void from_json(const json& nlohmann_json_j, Type& nlohmann_json_t) {                      \
    const Type nlohmann_json_default_obj{};                                                 \
    NLOHMANN_JSON_EXPAND(NLOHMANN_JSON_PASTE(NLOHMANN_JSON_FROM_WITH_DEFAULT, __VA_ARGS__)) \
  }

/// The texts of an enum, for the functions that HARNESS_ENUM_TEXT (core/enum_text.h) declares; `what`: what a value is,
/// in sentences. Every value must be in the table.
#define HARNESS_ENUM_TABLE(Type, what, ...)                                     \
  static constexpr std::pair<Type, const char*> kTextsOf##Type[] = __VA_ARGS__; \
  std::string_view name(Type value) {                                           \
    for (const auto& [known, text] : kTextsOf##Type)                            \
      if (known == value) return text;                                          \
    return "?";                                                                 \
  }                                                                             \
  template <>                                                                   \
  std::optional<Type> named_if<Type>(std::string_view text) {                   \
    for (const auto& [value, known] : kTextsOf##Type)                           \
      if (text == known) return value;                                          \
    return std::nullopt;                                                        \
  }                                                                             \
  template <>                                                                   \
  std::vector<std::string> names_of<Type>() {                                   \
    std::vector<std::string> texts;                                             \
    for (const auto& [value, text] : kTextsOf##Type) texts.push_back(text);     \
    return texts;                                                               \
  }                                                                             \
  template <>                                                                   \
  Type named<Type>(std::string_view text) {                                     \
    if (const auto value = named_if<Type>(text)) return *value;                 \
    refuse_name(what, text, names_of<Type>());                                  \
  }                                                                             \
  void to_json(json& to, Type value) {                                          \
    to = std::string(name(value));                                              \
  }                                                                             \
  void from_json(const json& from, Type& value) {                               \
    value = named<Type>(from.get_ref<const std::string&>());                    \
  }
