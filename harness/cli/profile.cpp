#include <fmt/format.h>

#include <memory>

#include "harness/cli/asked_candidate.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/task_line.h"
#include "harness/core/error.h"
#include "harness/core/gpu_model.h"
#include "harness/report/out.h"
#include "harness/report/profile_view.h"
#include "harness/system/awake_clock.h"

// profile: what a variant does on a GPU, line by line.
namespace harness {
namespace {

struct ProfileArguments {
  CandidateWords words;
  std::string device = "auto", workloads, gpu;
  int blocks = 16;
  bool json = false;
};

/// The GPU whose model is used: the one that is named, or the device itself, or the one that harness knows best.
std::string chosen_gpu(const ProfileArguments& arguments, const DeviceInfo& device) {
  if (!arguments.gpu.empty()) return std::string(find_gpu_model(arguments.gpu).name);
  const GpuModel* const own = gpu_model_of(device.name);
  return std::string(own != nullptr ? own->name : gpu_models().front().name);
}

void print_profile(const Realized& realized, const std::string& workload, const Profile& profile, bool as_json) {
  if (as_json) {
    json object = profile;
    object["kernel"] = realized.candidate.kernel;
    object["variant"] = realized.candidate.variant;
    object["config"] = config_to_json(realized.candidate.config);
    object["workload"] = workload;
    return report::out_json(object);
  }
  report::out("%s %s %s on %s\n", realized.candidate.kernel.c_str(), realized.candidate.variant.c_str(),
              to_text(realized.candidate.config).c_str(), workload.c_str());
  report::ProfiledSources sources;
  for (const SourceFile& source : realized.sources) sources.emplace_back(source.name, source.text);
  if (!sources.empty()) sources.front().first = realized.build.source_name;
  report::out("%s", report::profile_text(profile, sources).c_str());
}

int profile(const ProfileArguments& arguments, Shell& shell) {
  watch_for_stops();
  Places places = shell.places();
  const auto catalog = shell.rooms.catalog(places);
  AskedCandidate asked = asked_candidate(arguments.words, *catalog, shell);
  variant_of(catalog->kernel(asked.candidate.kernel), asked.candidate.variant);
  const DeviceInfo device = choose_device(arguments.device, shell.rooms.devices(places));
  std::vector<std::string> workloads = asked_workloads(asked, split_commas(arguments.workloads), *catalog, device);
  if (arguments.workloads.empty()) workloads.resize(1);
  use_edited(asked, workloads, *catalog, device);
  const std::string gpu = chosen_gpu(arguments, device);
  catch_interrupts();
  const TaskLine line(arguments.json, &places);
  const auto profiler = shell.rooms.profiler(places, device, interrupted);
  for (const std::string& workload : workloads) {
    const Realized realized = realize(asked.candidate, workload, *catalog, device);
    line.begin(fmt::format("{} {} on {}", realized.candidate.kernel, realized.candidate.variant, workload));
    const auto profile = profiler->profile(realized, {gpu, arguments.blocks});
    line.hide();
    if (!profile) return 130;
    print_profile(realized, workload, *profile, arguments.json);
  }
  return 0;
}

}  // namespace

void define_profile(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ProfileArguments>();
  app.add_option("kernel", arguments->words.kernel, "The kernel");
  app.add_option("variant", arguments->words.variant, "The variant");
  app.add_option("--from", arguments->words.from, "Profile what this recorded iteration evaluated")
      ->type_name("ITERATION");
  app.add_option("--source", arguments->words.source, "An edited source, in the place of the variant's own")
      ->type_name("FILE");
  app.add_option("-p", arguments->words.parameters, "A parameter's value; the others take their first valid one")
      ->type_name("NAME=VALUE")
      ->take_all();
  app.add_option("--workload", arguments->workloads,
                 "Workloads, sets, or shapes of your own, separated by commas (default: the first of the set "
                 "'default')");
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  app.add_option("--for", arguments->gpu, "The GPU whose time is predicted: H200, A100, RTX4090 (default: H200)")
      ->type_name("GPU");
  app.add_option("--blocks", arguments->blocks, "Blocks of a launch that are counted, at most")
      ->check(CLI::Range(4, 65536))
      ->capture_default_str();
  app.add_flag("--json", arguments->json, "One JSON object a workload and line");
  add_db_option(app, shell);
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    if (arguments->words.from == 0 && (arguments->words.kernel.empty() || arguments->words.variant.empty()))
      throw bad_input("name a kernel and a variant, or --from an iteration: harness profile KERNEL VARIANT");
    return profile(*arguments, shell);
  };
}

}  // namespace harness
