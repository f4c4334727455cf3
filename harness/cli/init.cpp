#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "harness/cli/command.h"
#include "harness/cli/templates.h"
#include "harness/core/error.h"
#include "harness/report/out.h"

// init: a project of one's own, outside of the checkout.
namespace fs = std::filesystem;

namespace harness {
namespace {

constexpr const char* kReadme =
#include "embedded/harness/cli/templates/project.md"
    ;

constexpr const char* kStrategies =
#include "embedded/harness/cli/templates/project_strategies.md"
    ;

constexpr const char* kAgents =
#include "embedded/harness/cli/templates/agents.md"
    ;

/// What makes the same text a skill (agentskills.io).
constexpr const char* kSkillHead =
    "---\nname: harness\ndescription: Make CUDA kernels faster with harness, which judges and times every variant "
    "within "
    "a budget. Use it before you edit a kernel of this project.\n---\n\n";

constexpr const char* kMarker =
    "This file makes its folder a project of harness. Commands that run here or below use its kernels/ and\n"
    "strategies/, and keep their store beside it.\n";

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

int init(const std::string& asked, const std::string& kernel) {
  if (!is_identifier(kernel)) throw bad_input(fmt::format("'{}' is not a name; use letters, digits, _ and -", kernel));
  const fs::path folder = asked_folder(asked);
  std::vector<TemplateFile> files = kernel_template(kernel);
  files.push_back({"README.md", fill_in(kReadme, {{"NAME", kernel}})});
  files.push_back({"strategies/README.md", kStrategies});
  files.push_back({"AGENTS.md", kAgents});
  files.push_back({".agents/skills/harness/SKILL.md", std::string(kSkillHead) + kAgents});
  files.push_back({kProjectFile, kMarker});  // the last: a folder with half a project is none
  for (TemplateFile& file : files) file.path = (folder / file.path).string();
  write_new_files(files);
  report::err("next: cd %s && harness check %s --device cpu\n", asked.c_str(), kernel.c_str());
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
