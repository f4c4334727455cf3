#include "harness/core/json.h"

template class nlohmann::basic_json<>;

namespace harness {

json text_or_null(const std::string& text) {
  return text.empty() ? json() : json(text);
}

std::string json_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<std::size_t> too_deep_at(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      else if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepestJson) return at;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return std::nullopt;
}

json parse_json(std::string_view text) {
  if (const auto at = too_deep_at(text))
    throw json::parse_error::create(101, *at + 1, "nested too deeply", static_cast<const json*>(nullptr));
  return json::parse(text);
}

json parse_json_if_valid(std::string_view text) {
  return too_deep_at(text) ? json(json::value_t::discarded) : json::parse(text, nullptr, false);
}

}  // namespace harness
