#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/device/cuda/compile/compiler.h"
#include "harness/device/cuda/probe.h"
#include "harness/evaluate/evaluator.h"
#include "harness/script/catalog.h"
#include "harness/script/strategy/library.h"
#include "harness/script/strategy/playbook.h"
#include "harness/store/store.h"
#include "harness/system/compile_rights.h"
#include "harness/worker/processes/serve.h"

// The composition root: the only file that names the real classes.
namespace {

using namespace harness;

std::vector<std::filesystem::path> paths(const std::vector<std::string>& folders) {
  return {folders.begin(), folders.end()};
}

std::unique_ptr<Catalog> make_catalog(const Places& places) {
  return std::make_unique<script::LuaCatalog>(paths(places.kernel_folders), paths({places.include_folder}));
}

std::unique_ptr<ScriptLibrary> make_scripts(const Places& places) {
  return std::make_unique<script::Library>(paths(places.strategy_folders), script::Limits{},
                                           paths(places.playbook_folders));
}

std::unique_ptr<Playbook> make_playbook(const Places& places) {
  return std::make_unique<script::LuaPlaybook>(paths(places.playbook_folders));
}

// Candidates for a GPU are tried on the cpu device first, where there is one.
std::optional<std::pair<Target, DeviceInfo>> preflight_device(Target target) {
  for (const DeviceInfo& device : probe_devices()) {
    if (device.device != "cpu" || !device.available) continue;
    target.device = device.device;
    target.architecture = device.architecture;
    return std::pair(target, device);
  }
  return std::nullopt;
}

std::unique_ptr<Evaluator> make_evaluator(const Places& places, const DeviceInfo& device,
                                          std::optional<double> usd_per_hour, std::function<bool()> stop) {
  PipelineEvaluator::Options options;
  options.target = {device.device,      device.architecture,          places.cache_folder,
                    places.cpu_headers, cuda::find_toolkit_include(), {}};
  options.device = device;
  options.limits = default_limits(device);
  // The supervisor and the runner need a core each; the others compile ahead.
  options.builders = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - (device.emulation ? 0 : 2));
  options.usd_per_hour = usd_per_hour;
  options.policy_refuses = places.policy_refuses;
  if (!device.emulation && places.preflight) options.preflight = preflight_device(options.target);
  options.on_wait = [](const std::string& sentence) { fmt::print(stderr, "harness: {}\n", sentence); };
  options.stop = std::move(stop);
  return std::make_unique<PipelineEvaluator>(std::move(options));
}

std::unique_ptr<Ledger> open_ledger(const std::string& path) {
  if (path == ":memory:") return store::Store::in_memory();
  return store::Store::open(path, store::Mode::read_write);
}

std::unique_ptr<Compiler> make_offline_compiler(const Places& places, const std::string& architecture) {
  if (!cuda::nvrtc_available()) return nullptr;
  return std::make_unique<cuda::NvrtcCompiler>(places.cache_folder, architecture, cuda::find_toolkit_include(),
                                               confine_with(walls_here()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc >= 3 && std::string(argv[1]) == "worker") return serve_worker(argv[2], {argv + 3, argv + argc});
  const Rooms rooms{make_catalog,
                    make_scripts,
                    [](const Places&) { return probe_devices(); },
                    make_evaluator,
                    [] { return in_words(walls_here()); },
                    open_ledger,
                    make_offline_compiler,
                    make_playbook};
  return run_command_line(argc, argv, rooms);
}
