#pragma once
#include <SQLiteCpp/Column.h>

#include <optional>
#include <string>

#include "harness/core/json.h"

namespace harness::store {

/// nullopt where the text is not JSON, or nested deeper than anything this program writes.
std::optional<json> parsed_json(const std::string& text);

/// An SQLite value by its own type: null, integer, real (not finite: null), text, or a blob as hexadecimal text.
json value_of(const SQLite::Column& value);

}  // namespace harness::store
