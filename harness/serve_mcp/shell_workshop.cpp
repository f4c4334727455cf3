#include "harness/serve_mcp/shell_workshop.h"

#include "harness/core/hash.h"
#include "harness/serve_mcp/agent_job.h"
#include "harness/service/adopt_proposed.h"
#include "harness/system/files.h"

namespace harness::mcp {

std::string program_hash() {
  return sha256_hex(read_file("/proc/self/exe"));
}

Workshop workshop_of(Shell& shell, const std::string& device, const AskedTimes& times, CampaignRecord session) {
  Workshop workshop;
  workshop.catalog = [&shell] { return shell.rooms.formula_catalog(shell.places()); };
  workshop.playbook = [&shell] { return shell.rooms.playbook(shell.places()); };
  workshop.device = [&shell, device, times] {
    return choose_device(device, times, shell.rooms.devices(shell.places()));
  };
  workshop.archive = [&shell] { return shell.rooms.archive(shell.store_path(), ArchiveAccess::write); };
  workshop.start_job = [&shell](std::int64_t job) { start_agent_job(job, shell); };
  workshop.adopt = [&shell](std::int64_t iteration, const std::string& name) {
    return adopted_files(iteration, name, shell);
  };
  workshop.program_hash = program_hash;
  workshop.plugin_folders = [&shell] {
    const Places places = shell.places();
    std::vector<std::string> folders = places.kernel_folders;
    folders.push_back(places.include_folder);
    return folders;
  };
  workshop.session = std::move(session);
  return workshop;
}

}  // namespace harness::mcp
