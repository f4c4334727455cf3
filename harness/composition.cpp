#include "harness/composition.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/core/printable.h"
#include "harness/evaluate/counting_profiler.h"
#include "harness/evaluate/evaluator.h"
#include "harness/evaluate/reference_build.h"
#include "harness/propose/spec.h"
#include "harness/script/catalog/catalog.h"
#include "harness/script/contract/models.h"
#include "harness/script/gpus/gpus.h"
#include "harness/script/strategy/diagnoses.h"
#include "harness/script/strategy/fleet_file.h"
#include "harness/script/strategy/library.h"
#include "harness/script/strategy/playbook.h"
#include "harness/script/strategy/prompt.h"
#include "harness/service/places.h"
#include "harness/store/archive.h"
#include "harness/store/page_record.h"
#include "harness/system/rights.h"
#include "harness/system/walls.h"
#include "harness/worker/observation.h"
#include "harness/worker/serve.h"

// The composition root: the only file that names the real Catalog, ScriptLibrary, Evaluator and Archive. It is handed
// the kinds of devices (main.cpp).
namespace harness {

extern const char* const kVersion;  // written at build by cmake/revision.cmake
extern const char* const kRevision;

namespace {

std::vector<std::filesystem::path> paths(const std::vector<std::string>& folders) {
  return {folders.begin(), folders.end()};
}

std::vector<std::string> names(const DeviceKinds& kinds) {
  std::vector<std::string> all;
  for (const auto& kind : kinds) all.push_back(kind->name());
  std::sort(all.begin(), all.end());
  return all;
}

// For --help: "auto, cpu or cuda[:N]".
std::string device_words(const DeviceKinds& kinds) {
  std::string words = "auto";
  const std::vector<std::string> all = names(kinds);
  for (const std::string& name : all)
    words += fmt::format("{}{}{}", name == all.back() ? " or " : ", ", name,
                         find_kind(kinds, name).numbered() ? "[:N]" : "");
  return words;
}

std::unique_ptr<FormulaCatalog> make_catalog(const Places& places, const DeviceKinds& kinds) {
  return std::make_unique<script::LuaCatalog>(paths(places.kernel_folders), paths({places.include_folder}),
                                              names(kinds));
}

std::unique_ptr<ScriptLibrary> make_scripts(const Places& places) {
  return std::make_unique<script::Library>(paths(places.strategy_folders), script::Limits{},
                                           paths(places.playbook_folders));
}

std::unique_ptr<Diagnoser> make_diagnoser(const Places& places) {
  return std::make_unique<script::LuaDiagnoses>(paths(places.strategy_folders));
}

std::unique_ptr<Playbook> make_playbook(const Places& places) {
  return std::make_unique<script::LuaPlaybook>(paths(places.playbook_folders));
}

EvaluatorDevice with_target(const DeviceKinds& kinds, const DeviceInfo& device, const Places& places) {
  const DeviceKind& kind = find_kind(kinds, device.device);
  EvaluatorDevice made{&kind, make_target(kind, device, places.cache_folder, places.cpu_headers), device};
  made.target.trust_source = places.trust_source;
  made.target.beside = places.beside;
  return made;
}

// Candidates for a GPU are tried in emulation first, where there is one.
std::optional<EvaluatorDevice> preflight_device(const DeviceKinds& kinds, Places places) {
  places.beside = true;
  for (const DeviceInfo& device : probe_devices(kinds))
    if (device.emulation && device.available) return with_target(kinds, device, places);
  return std::nullopt;
}

// Sources run as native code of this machine, also a GPU's in pre-flight: what is missing of the cage around them,
// where they are trusted.
std::string unconfined(bool trusted) {
  const Cage cage = cage_here();
  if (cage.whole()) return "";
  if (!trusted) throw environment_error(not_caged(cage));
  return "not confined, run because of --trust-source: " + describe(cage);
}

// What compiles for an architecture that need not be here.
std::optional<OfflineCompiler> compiler_for(const DeviceKinds& kinds, const Places& places,
                                            const std::string& architecture) {
  for (const auto& kind : kinds)
    if (const auto info = kind->describe_architecture(architecture); info && info->missing.empty())
      return OfflineCompiler{kind.get(), make_target(*kind, *info, places.cache_folder, places.cpu_headers)};
  return std::nullopt;
}

std::unique_ptr<Evaluator> make_evaluator(const DeviceKinds& kinds, const Places& places, const DeviceInfo& device,
                                          std::optional<double> usd_per_hour, std::function<bool()> stop) {
  PipelineOptions options;
  options.device = with_target(kinds, device, places);
  options.limits = default_limits(device);
  // The supervisor and the runner need a core each; the others compile ahead.
  const int cores = static_cast<int>(std::thread::hardware_concurrency()) / std::max(1, places.programs);
  options.builders = std::max(1, cores - (device.emulation ? 0 : 2));
  options.usd_per_hour = usd_per_hour;
  options.policy_refuses = places.policy_refuses;
  if (!device.emulation && places.preflight) options.preflight = preflight_device(kinds, places);
  if (device.native || options.preflight) options.unconfined = unconfined(places.trust_source);
  options.on_wait = [](const std::string& sentence) {
    fmt::print(stderr, "harness: {}\n", printable(sentence, Lines::one));
  };
  if (places.on_phase)
    options.on_phase = [tell = places.on_phase,
                        build_s = options.device.target.compile.deadline_s](const std::string& phase) {
      tell({phase, phase.ends_with("build") ? std::optional(build_s) : std::nullopt});
    };
  options.find_compiler = [&kinds, places](const std::string& architecture) {
    return compiler_for(kinds, places, architecture);
  };
  options.stop = std::move(stop);
  return std::make_unique<PipelineEvaluator>(std::move(options));
}

// The emulated device: it sees every access.
std::unique_ptr<Observer> make_observer_of(const DeviceKinds& kinds, const Places& places, std::function<bool()> stop) {
  for (const DeviceInfo& device : probe_devices(kinds)) {
    if (!device.emulation || !device.available) continue;
    unconfined(places.trust_source);
    const EvaluatorDevice made = with_target(kinds, device, places);
    return make_observer(find_kind(kinds, device.device), made.target, std::move(stop));
  }
  throw environment_error("no device here can observe a kernel; the cpu device does, and needs g++");
}

// Counters are read by the workers of an evaluation.
class DeviceCounters : public Profiler {
 public:
  explicit DeviceCounters(std::unique_ptr<Evaluator> evaluator) : evaluator_(std::move(evaluator)) {}
  std::optional<Profile> profile(const Realized& realized, const ProfileRequest& request) override {
    Profiler* const profiler = evaluator_->profiler();
    if (profiler == nullptr)
      throw environment_error(fmt::format("{} has no counters; count with --device cpu", evaluator_->device().device));
    return profiler->profile(realized, request);
  }

 private:
  std::unique_ptr<Evaluator> evaluator_;
};

std::unique_ptr<Profiler> make_profiler(const DeviceKinds& kinds, const Places& places, const DeviceInfo& device,
                                        std::function<bool()> stop) {
  if (!device.emulation) {
    Places quiet = places;
    quiet.preflight = false;  // nothing is judged
    return std::make_unique<DeviceCounters>(make_evaluator(kinds, quiet, device, {}, std::move(stop)));
  }
  unconfined(places.trust_source);
  const EvaluatorDevice made = with_target(kinds, device, places);
  return std::make_unique<CountingProfiler>(CountingProfilerOptions{
      made.kind, made.target, made.info,
      [&kinds, places](const std::string& architecture) { return compiler_for(kinds, places, architecture); },
      std::move(stop)});
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<OfflineDevice> offline_device(const DeviceKinds& kinds, const Places& places,
                                            const std::string& architecture) {
  for (const auto& kind : kinds) {
    auto info = kind->describe_architecture(architecture);
    if (!info) continue;
    OfflineDevice device{*info, nullptr, [&kind](const Artifact& artifact) { return kind->linked_names(artifact); },
                         [&kind](std::string_view image) { return kind->image_hash(image); }, reference_build};
    if (info->missing.empty())
      device.compiler = make_compiler(*kind, make_target(*kind, *info, places.cache_folder, places.cpu_headers));
    return device;
  }
  return std::nullopt;
}

std::vector<std::string> proposer_folders(const Places& places) {
  std::vector<std::string> folders;
  if (!places.project.empty()) folders.push_back(places.project + "/proposers");
  folders.push_back(places.home + "/proposers");
  return folders;
}

}  // namespace

int run_program(int argc, char** argv, const DeviceKinds& kinds) {
  if (argc >= 3 && std::string(argv[1]) == "worker") return serve_worker(kinds, argv[2], {argv + 3, argv + argc});
  read_gpus_by([] { return script::read_gpus(paths(gpu_folders(find_places()))); });
  Rooms rooms;
  rooms.catalog = [&](const Places& places) { return make_catalog(places, kinds); };
  rooms.formula_catalog = [&](const Places& places) { return make_catalog(places, kinds); };
  rooms.scripts = make_scripts;
  rooms.models = [](const Places& places) { return script::read_models(paths(model_folders(places))); };
  rooms.devices = [&](const Places&) { return probe_devices(kinds); };
  rooms.device_words = device_words(kinds);
  rooms.evaluator = [&](const Places& places, const DeviceInfo& device, std::optional<double> usd_per_hour,
                        std::function<bool()> stop) {
    return make_evaluator(kinds, places, device, usd_per_hour, std::move(stop));
  };
  rooms.confinement = [] { return fmt::format("{}\nkernels: {}", in_words(walls_here()), describe(cage_here())); };
  rooms.observer = [&](const Places& places, std::function<bool()> stop) {
    return make_observer_of(kinds, places, std::move(stop));
  };
  rooms.profiler = [&](const Places& places, const DeviceInfo& device, std::function<bool()> stop) {
    return make_profiler(kinds, places, device, std::move(stop));
  };
  rooms.archive = store::open_archive;
  rooms.page_record = store::open_page_record;
  rooms.offline_device = [&](const Places& places, const std::string& architecture) {
    return offline_device(kinds, places, architecture);
  };
  rooms.playbook = make_playbook;
  rooms.fleet_file = script::read_fleet_file;
  rooms.diagnoser = make_diagnoser;
  rooms.profile_ways = [&](const DeviceInfo& device) {
    const auto profiler = find_kind(kinds, device.device).make_profiler();
    return profiler ? profiler->ways(device.device) : std::vector<ProfileWay>{};
  };
  rooms.proposer = [](const Places& places, const std::string& spec, const std::vector<std::string>& variables) {
    const std::vector<std::string> folders = proposer_folders(places);
    auto proposer = make_proposer(spec, {variables, environment_variable, folders});
    auto prompt = script::find_prompt(paths(folders));
    return prompt ? script::with_prompt(std::move(proposer), std::move(*prompt)) : std::move(proposer);
  };
  rooms.token_price = [](const Places& places, const std::string& spec) {
    return listed_price(spec, proposer_folders(places));
  };
  rooms.program = {kVersion, kRevision};
  return run_command_line(argc, argv, rooms);
}

}  // namespace harness
