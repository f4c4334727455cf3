#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

// Compiled once, in json.cpp: of two batches' time to compile, its members took 7 and 11 %.
extern template class nlohmann::basic_json<>;

namespace harness {
using json = nlohmann::json;

// One spelling of each, compiled once: parse and dump are templates that every unit would compile anew.

/// An empty text is null: it says that there is none.
json text_or_null(const std::string& text);
/// Compact JSON. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const json& value);
/// What comes from outside is nested no deeper: values are copied, written and compared by recursion, and 200 KB of
/// brackets would take all of a stack.
inline constexpr std::size_t kDeepestJson = 128;

/// The byte of the first bracket that opens one level too many; nothing: there is none.
std::optional<std::size_t> too_deep_at(std::string_view text);

/// Throws json::parse_error with the byte at which `text` is no JSON, or too deep. The only reader in the house.
json parse_json(std::string_view text);
/// The same; what is refused is a discarded value (json::is_discarded), which is neither an object nor an array.
json parse_json_if_valid(std::string_view text);
}  // namespace harness

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
