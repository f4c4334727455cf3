#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace harness::http {

struct Asset {
  std::string_view type, text;
  std::string tag;  // changes with the text
};

/// A file of page/built/ by its name; nothing: there is none.
std::optional<Asset> find_asset(std::string_view name);

}  // namespace harness::http
