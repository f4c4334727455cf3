#pragma once
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

/// An enum as the text that its table pairs it with; an unknown text reads as the table's first value.
#define HARNESS_JSON_ENUM(Type, ...)                                            \
  static constexpr std::pair<Type, const char*> kTextsOf##Type[] = __VA_ARGS__; \
  void to_json(json& to, Type value) {                                          \
    for (const auto& [known, text] : kTextsOf##Type)                            \
      if (known == value) to = text;                                            \
  }                                                                             \
  void from_json(const json& from, Type& value) {                               \
    value = kTextsOf##Type[0].first;                                            \
    for (const auto& [known, text] : kTextsOf##Type)                            \
      if (from == text) value = known;                                          \
  }
