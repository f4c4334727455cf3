#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/core/quote.h"
#include "harness/report/out.h"
#include "harness/service/templates/templates.h"

// init: a project of one's own, outside of the checkout.
namespace fs = std::filesystem;

namespace harness {
namespace {

fs::path asked_folder(const std::string& asked) {
  std::error_code failed;
  const fs::path folder = fs::weakly_canonical(fs::absolute(asked), failed);
  if (failed) throw bad_input(fmt::format("'{}' cannot be looked up: {}", asked, failed.message()));
  if (fs::exists(folder, failed) && !fs::is_directory(folder, failed))
    throw bad_input(fmt::format("'{}' is no folder; name one, or one that is not there yet", asked));
  if (const std::string around = project_above(folder.string()); !around.empty())
    throw bad_input(fmt::format("'{}' lies in the project {}; projects do not lie in each other", asked, around));
  return folder;
}

/// What a folder may have already, and then keeps: a repository its .gitignore, an editor its settings.
std::vector<TemplateFile> settings_files(const fs::path& folder) {
  std::vector<TemplateFile> files = settings_template();
  std::erase_if(files, [&](const TemplateFile& file) {
    std::error_code none;
    const bool there = fs::exists(fs::symlink_status(folder / file.path, none));
    if (there) report::err("{} is there already, and stays as it is\n", (folder / file.path).string());
    return there;
  });
  return files;
}

int init(const std::string& asked, const std::string& kernel) {
  if (!is_identifier(kernel)) throw bad_input(fmt::format("'{}' is not a name; use letters, digits, _ and -", kernel));
  const fs::path folder = asked_folder(asked);
  std::vector<TemplateFile> files = project_template(kernel);
  std::vector<TemplateFile> settings = settings_files(folder);  // before the file that makes it a project
  files.insert(files.end() - 1, settings.begin(), settings.end());
  for (TemplateFile& file : files) file.path = (folder / file.path).string();
  write_new_files(files);
  for (const TemplateFile& file : files) report::out("{}\n", file.path);
  std::error_code none;
  const bool here = fs::equivalent(folder, fs::current_path(none), none);
  report::err("next: {}harness check {} --device cpu\n", here ? "" : ("cd " + shell_word(asked) + " && "), kernel);
  return 0;
}

}  // namespace

void define_init(CLI::App& app, Shell&, std::function<int()>& action) {
  auto folder = std::make_shared<std::string>("."), kernel = std::make_shared<std::string>("first");
  app.add_option("folder", *folder, "It is made where it is not there; nothing in it is overwritten")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--kernel", *kernel, "The name of the kernel to begin with")->type_name("NAME")->capture_default_str();
  action = [folder, kernel] { return init(*folder, *kernel); };
}

}  // namespace harness
