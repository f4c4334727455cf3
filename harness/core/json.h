#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

namespace harness {
using json = nlohmann::json;
}

// nlohmann-json 3.11.2 has no conversion for std::optional: absent is null (the contract of every --json output).
namespace nlohmann {
template <typename T>
struct adl_serializer<std::optional<T>> {
  static void to_json(json& j, const std::optional<T>& value) {
    if (value) j = *value;
    else j = nullptr;
  }
  static void from_json(const json& j, std::optional<T>& value) {
    if (j.is_null()) value.reset();
    else value = j.get<T>();
  }
};
}  // namespace nlohmann
