#include "harness/cli/template_file.h"

#include <fmt/format.h>

#include "harness/core/error.h"

namespace harness {

bool is_identifier(const std::string& name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string::npos;
}

std::string plain_name(const NewArguments& arguments) {
  if (is_identifier(arguments.name)) return arguments.name;
  throw bad_input(fmt::format("'{}' is not a name; use letters, digits, _ and -", arguments.name));
}

std::string fill_in(std::string text, const std::vector<std::pair<std::string, std::string>>& values) {
  for (const auto& [name, value] : values) {
    const std::string place = "@" + name + "@";
    for (std::size_t at = 0; (at = text.find(place, at)) != std::string::npos; at += value.size())
      text.replace(at, place.size(), value);
  }
  return text;
}

}  // namespace harness
