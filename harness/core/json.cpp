#include "harness/core/json.h"

template class nlohmann::basic_json<>;

namespace harness {

std::string json_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json parse_json(std::string_view text) {
  return json::parse(text);
}

json parse_json_if_valid(std::string_view text) {
  return json::parse(text, nullptr, false);
}

}  // namespace harness
