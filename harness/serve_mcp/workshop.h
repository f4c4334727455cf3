#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/formula_catalog.h"
#include "harness/core/playbook.h"

namespace harness::mcp {

/// What the tools work with. Each is made when it is first needed: a server has answered its client long before.
struct Workshop {
  std::function<std::unique_ptr<FormulaCatalog>()> catalog;
  std::function<std::unique_ptr<Playbook>()> playbook;
  std::function<DeviceInfo()> device;  // the session's
  std::function<std::unique_ptr<Archive>()> archive;
  /// Starts a process of its own that does the job, and outlives this one.
  std::function<void(std::int64_t job)> start_job;
  /// Makes files of an iteration: `harness adopt --from`; {"variant","files"}. Throws Error.
  std::function<json(std::int64_t iteration, const std::string& name)> adopt;
  std::function<std::string()> program_hash;  // SHA-256 of this program
  /// The plugin folders: what is read from them is read again once something in them changed.
  std::function<std::vector<std::string>()> plugin_folders;
  CampaignRecord session;  // name, limits and price as the command line gives them
};

/// The session's judge as it is now: the program and every kernel's admission hash.
json judge_now(Catalog& catalog, const std::string& program_hash);
/// Why what judges a kernel is not what it was when the session began, a sentence; "" where it is.
std::string judge_changed(const json& begun, const json& now, const std::string& kernel, const std::string& session);

}  // namespace harness::mcp
