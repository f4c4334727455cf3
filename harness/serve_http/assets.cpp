#include "harness/serve_http/assets.h"

#include <fmt/format.h>

#include "harness/core/embedded.h"

namespace harness::http {
namespace {

constexpr EmbeddedText kBuilt[] = {
#include "embedded/harness/serve_http/page/built.table"
};

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/html; charset=utf-8";
}

}  // namespace

std::optional<Asset> find_asset(std::string_view name) {
  for (const EmbeddedText& file : kBuilt)
    if (file.name == name)
      return Asset{type_of(name), file.text, fmt::format("\"{:x}\"", std::hash<std::string_view>{}(file.text))};
  return std::nullopt;
}

}  // namespace harness::http
