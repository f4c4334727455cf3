#include "harness/adopt/source/option_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "harness/adopt/source/tokens.h"
#include "harness/core/error.h"

namespace harness::adopt {

std::string shown_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::pair<std::string, std::string> name_and_rest(const std::string& option, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw bad_input(fmt::format("--{} '{}' is not of the form NAME=VALUE,VALUE", option, text));
  return {text.substr(0, sign), text.substr(sign + 1)};
}

std::vector<std::string> by_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    parts.emplace_back(trimmed(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return parts;
}

std::int64_t whole(const std::string& option, const std::string& text, std::int64_t least) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || value < least)
    throw bad_input(fmt::format("{}: '{}' is no whole number above {}", option, text, least - 1));
  return value;
}

bool is_in_capitals(const std::string& name) {
  return name.size() > 1 && std::ranges::all_of(name, [](unsigned char c) {
           return std::isupper(c) != 0 || std::isdigit(c) != 0 || c == '_';
         });
}

Error undefined_macro(const std::string& where, const std::string& name) {
  return bad_input(fmt::format(
      "{}: '{}' is defined in no file that was read; where the compiler's command line defines it, say -D {}=VALUE, or "
      "--tune {}=V,V to make a parameter of it",
      where, name, name, name));
}

}  // namespace harness::adopt
