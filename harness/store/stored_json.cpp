#include "harness/store/stored_json.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "harness/core/utf8.h"

namespace harness::store {
namespace {

std::string hexadecimal(const SQLite::Column& blob) {
  const auto* bytes = static_cast<const unsigned char*>(blob.getBlob());
  std::string text;
  for (int i = 0; i < blob.getBytes(); ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

}  // namespace

std::optional<json> parsed_json(const std::string& text) {
  json parsed = parse_json_if_valid(text);
  return parsed.is_discarded() ? std::nullopt : std::optional(std::move(parsed));
}

json value_of(const SQLite::Column& value) {
  if (value.isInteger()) return std::int64_t{value.getInt64()};
  if (value.isText()) return valid_utf8(value.getString());
  if (value.isBlob()) return hexadecimal(value);
  if (value.isNull() || !std::isfinite(value.getDouble())) return nullptr;
  return value.getDouble();
}

}  // namespace harness::store
