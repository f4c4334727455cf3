#include "harness/service/templates/template_file.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

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

void write_new_files(const std::vector<TemplateFile>& files) {
  for (const TemplateFile& file : files)
    if (std::error_code none; fs::exists(fs::symlink_status(file.path, none)))
      throw bad_input(fmt::format("{} exists already and is not overwritten; choose another name", file.path));
  for (const TemplateFile& file : files) {
    std::error_code failed;
    fs::create_directories(fs::path(file.path).parent_path(), failed);
    if (failed) throw environment_error(fmt::format("{} cannot be written: {}", file.path, failed.message()));
    write_file(file.path, file.text);
  }
}

}  // namespace harness
