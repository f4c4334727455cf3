#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/templates.h"
#include "harness/core/error.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

struct NewArguments {
  std::string kind, name;
};

bool is_identifier(const std::string& name) {
  return !name.empty() && name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
                              std::string::npos;
}

std::string filled(std::string text, const std::string& name) {
  for (std::size_t at = 0; (at = text.find("@NAME@", at)) != std::string::npos; at += name.size())
    text.replace(at, 6, name);
  return text;
}

void write_new(const fs::path& path, const std::string& text) {
  if (fs::exists(path)) throw bad_input(fmt::format("{} exists already; choose another name", path.string()));
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  std::ofstream file(path);
  file << text;
  if (!file.flush()) throw environment_error(fmt::format("{} cannot be written", path.string()));
  std::printf("%s\n", path.c_str());
}

int make_new(const NewArguments& arguments, Shell& shell) {
  if (arguments.kind == "variant") {
    const auto slash = arguments.name.find('/');
    if (slash == std::string::npos || !is_identifier(arguments.name.substr(0, slash)) ||
        !is_identifier(arguments.name.substr(slash + 1)))
      throw bad_input(
          fmt::format("'{}' names no variant; write KERNEL/NN_NAME, for example softmax/30_fast", arguments.name));
  } else if (!is_identifier(arguments.name)) {
    throw bad_input(fmt::format("'{}' is not a name; use letters, digits, _ and -", arguments.name));
  }
  const fs::path home = shell.places().home;
  for (const TemplateFile& file : template_files(arguments.kind, arguments.name))
    write_new(home / file.path, filled(file.text, arguments.name.substr(arguments.name.rfind('/') + 1)));
  return 0;
}

}  // namespace

void define_new(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<NewArguments>();
  app.add_option("kind", arguments->kind, "kernel, variant (as KERNEL/NN_NAME), strategy, rule or search")
      ->required()
      ->check(CLI::IsMember({"kernel", "variant", "strategy", "rule", "search"}));
  app.add_option("name", arguments->name, "Its name")->required()->type_name("NAME");
  action = [arguments, &shell] { return make_new(*arguments, shell); };
}

}  // namespace harness
