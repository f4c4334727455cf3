#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/templates.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/report/out.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

void write_new(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed)
    throw environment_error(
        fmt::format("{} cannot be written; work in a project folder, or set HARNESS_HOME", path.string()));
  write_file(path, text);
  report::out("%s\n", path.c_str());
}

const Scaffold& scaffold_of(const std::string& kind) {
  std::vector<std::string> known;
  for (const Scaffold& scaffold : scaffolds()) {
    if (kind == scaffold.kind) return scaffold;
    known.emplace_back(scaffold.kind);
  }
  throw bad_input(
      fmt::format("'{}' cannot be started; use {}{}", kind, fmt::join(known, ", "), did_you_mean(kind, known)));
}

int make_new(const NewArguments& arguments, Shell& shell) {
  const Scaffold& scaffold = scaffold_of(arguments.kind);
  if (arguments.campaign > 0 && arguments.kind != "pattern")
    throw bad_input("--campaign belongs to new pattern: it starts a page from what happened there");
  const fs::path home = shell.places().home;
  const std::string stem = arguments.name.substr(arguments.name.rfind('/') + 1);
  const std::vector<TemplateFile> files = scaffold.files(arguments, shell);
  for (const TemplateFile& file : files)
    if (fs::exists(home / file.path))
      throw bad_input(fmt::format("{} exists already; choose another name", (home / file.path).string()));
  for (const TemplateFile& file : files) write_new(home / file.path, fill_in(file.text, {{"NAME", stem}}));
  report::err("next: %s\n", fill_in(scaffold.next, {{"NAME", arguments.name}}).c_str());
  return 0;
}

std::string kinds_text() {
  std::string text;
  for (const Scaffold& scaffold : scaffolds()) {
    text += text.empty() ? "" : ", ";
    text += scaffold.kind;
    if (std::string(scaffold.name) != "NAME") text += fmt::format(" (as {})", scaffold.name);
  }
  return text;
}

}  // namespace

void define_new(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<NewArguments>();
  add_plugin_options(app, shell);
  app.add_option("kind", arguments->kind, kinds_text())->required()->type_name("KIND");
  app.add_option("name", arguments->name, "Its name")->required()->type_name("NAME");
  add_db_option(app, shell);
  app.add_option("--campaign", arguments->campaign, "pattern: begin with what happened in this campaign")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  action = [arguments, &shell] { return make_new(*arguments, shell); };
}

}  // namespace harness
