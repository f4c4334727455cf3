#include "harness/service/shell.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"

namespace harness {
namespace {

// Absolute, each once, and there.
void add_folders(std::vector<std::string>& folders, const std::vector<std::string>& more) {
  for (const std::string& folder : more) {
    std::error_code failed;
    const std::string path = std::filesystem::canonical(folder, failed).string();
    if (failed || !std::filesystem::is_directory(path)) throw bad_input(fmt::format("there is no folder '{}'", folder));
    if (std::find(folders.begin(), folders.end(), path) == folders.end()) folders.push_back(path);
  }
}

}  // namespace

Places Shell::places() const {
  Places places = find_places();
  add_folders(places.kernel_folders, more_kernels);
  add_folders(places.strategy_folders, more_strategies);
  places.policy_refuses = policy == "refuse";
  places.trust_source = trust_source;
  places.preflight = !no_preflight;
  return places;
}

std::string Shell::store_path() const {
  return db.empty() ? find_places().default_store : db;
}

void Shell::note(const std::string& sentence) const {
  if (tell) tell(sentence);
}

std::unique_ptr<Archive> open_to_read(const Shell& shell) {
  return shell.rooms.archive(shell.store_path(), ArchiveAccess::read);
}

std::shared_ptr<LiveCampaigns> open_live(const Shell& shell) {
  const std::shared_ptr<Archive> archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
  return {archive, &archive->live()};
}

}  // namespace harness
