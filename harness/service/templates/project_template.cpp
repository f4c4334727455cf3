#include "harness/core/embedded.h"
#include "harness/service/places.h"
#include "harness/service/templates/templates.h"
#include "harness/system/files.h"

namespace harness {
namespace {

constexpr EmbeddedText kProjectTexts[] = {
#include "embedded/harness/service/templates.table"
};

constexpr const char* kReadme = text_of(kProjectTexts, "project.md");
constexpr const char* kStrategies = text_of(kProjectTexts, "project_strategies.md");
constexpr const char* kAgents = text_of(kProjectTexts, "agents.md");
constexpr const char* kIgnored = text_of(kProjectTexts, "gitignore.in");
/// For editors with the Lua language server.
constexpr const char* kEditor = text_of(kProjectTexts, "luarc.in");

/// What makes the same text a skill (agentskills.io).
constexpr const char* kSkillHead =
    "---\nname: harness\ndescription: Make CUDA kernels faster with harness, which judges and times every variant "
    "within "
    "a budget. Use it before you edit a kernel of this project.\n---\n\n";

constexpr const char* kMarker =
    "This file makes its folder a project of harness. Commands that run here or below use its kernels/ and\n"
    "strategies/, and keep their store beside it.\n";

}  // namespace

std::vector<TemplateFile> project_template(const std::string& kernel) {
  std::vector<TemplateFile> files = kernel_template(kernel);
  files.push_back({"README.md", fill_in(kReadme, {{"NAME", kernel}})});
  files.push_back({"strategies/README.md", kStrategies});
  files.push_back({"AGENTS.md", kAgents});
  files.push_back({".agents/skills/harness/SKILL.md", std::string(kSkillHead) + kAgents});
  files.push_back({kProjectFile, kMarker});  // the last: a folder with half a project is none
  return files;
}

std::vector<TemplateFile> settings_template() {
  std::vector<TemplateFile> files{{".gitignore", kIgnored}, {".luarc.json", kEditor}};
  if (const auto fields = read_file_if_any(find_places().home + "/strategies/api.lua"))
    files.push_back({"strategies/api.lua", *fields});
  return files;
}

}  // namespace harness
