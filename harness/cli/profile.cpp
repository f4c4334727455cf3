#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/task_line.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/report/out.h"
#include "harness/report/profile_columns.h"
#include "harness/report/profile_view.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/profile_beside.h"
#include "harness/system/awake_clock.h"
#include "harness/system/interrupt.h"

// profile: what a variant does on a GPU, line by line.
namespace harness {
namespace {

struct ProfileArguments {
  CandidateWords words;
  std::string device = "auto", workloads, gpu;
  std::string through;  // "": the best that works
  int blocks = 16;
  bool json = false, alone = false, beside = false, numbers_only = false;
};

/// The GPU whose model is used: the one that is named, or the device itself, or the one that harness knows best.
std::string chosen_gpu(const ProfileArguments& arguments, const DeviceInfo& device) {
  if (!arguments.gpu.empty()) return find_gpu(arguments.gpu).name;
  const GpuFacts* const own = gpu_of_device(device.name);
  return own != nullptr ? own->name : find_gpu("").name;
}

std::string candidate_text(const Candidate& candidate) {
  const std::string config = to_text(candidate.config);
  return candidate.variant + (config.empty() ? "" : " " + config);
}

json profile_json(const Realized& realized, const Profile& profile) {
  json object = profile;
  object["kernel"] = realized.candidate.kernel;
  object["variant"] = realized.candidate.variant;
  object["config"] = config_to_json(realized.candidate.config);
  object["workload"] = realized.problem.workload.name;
  return object;
}

/// The candidate's own profile, and beside it those of others.
struct Compared {
  std::vector<std::string> titles;
  std::vector<Realized> candidates;
  std::vector<Profile> profiles;

  void add(const std::string& title, const Realized& realized, Profile profile) {
    titles.push_back(title);
    candidates.push_back(realized);
    profiles.push_back(std::move(profile));
  }
  json as_json() const {
    json object = profile_json(candidates[0], profiles[0]);
    object["beside"] = json::array();
    for (std::size_t i = 1; i < titles.size(); ++i) {
      object["beside"].push_back(profile_json(candidates[i], profiles[i]));
      object["beside"].back()["title"] = titles[i];
    }
    return object;
  }
  std::string text() const {
    std::vector<report::ProfileColumn> columns;
    for (std::size_t i = 0; i < titles.size(); ++i)
      columns.push_back({titles[i], candidate_text(candidates[i].candidate), profiles[i]});
    return report::profile_columns(columns);
  }
};

/// Finds profiles out, with their diagnoses.
using FindProfile = std::function<std::optional<Profile>(const Realized&)>;

/// Adds whom the candidate is shown beside; one that fails, or calls a library that nobody can count, is left out and
/// said. false: interrupted.
bool add_others(Compared& compared, const std::vector<Beside>& others, const FindProfile& find, const TaskLine& line) {
  for (const Beside& other : others) {
    line.begin(fmt::format("{} {}", other.title, other.realized.candidate.variant));
    try {
      const auto profile = find(other.realized);
      if (!profile) return false;
      compared.add(other.title, other.realized, *profile);
    } catch (const Error& error) {
      report::err("harness: no profile of the {}: {}\n", other.title, error.what());
    }
  }
  return true;
}

/// What no counter of a GPU tells, and a count does.
void add_counted_numbers(std::vector<ProfileNumber>& to, const std::vector<ProfileNumber>& counted) {
  for (const char* name : {"least_sectors", "atomics", "atomic_contention", "predicted_atomics_ns"}) {
    const auto is_it = [&](const ProfileNumber& number) { return number.name == name; };
    const auto found = std::ranges::find_if(counted, is_it);
    if (found != counted.end() && std::ranges::none_of(to, is_it)) to.push_back(*found);
  }
}

/// A GPU's counters know no lines. The cpu device sees every access, so it counts the same candidate there, and its
/// lines stand beside the GPU's numbers. Where it cannot, the profile says why. false: interrupted.
bool add_counted_lines(Profile& profile, const Candidate& candidate, const std::string& workload,
                       const ProfileRequest& request, Catalog& catalog, const Places& places, Shell& shell) {
  const std::optional<DeviceInfo> counts = device_that_counts(shell.rooms.devices(places));
  if (!counts) return true;
  try {
    const auto counted =
        shell.rooms.profiler(places, *counts, interrupted)
            ->profile(realize(candidate, workload, catalog, *counts), {request.gpu, request.blocks, {}});
    if (!counted) return false;
    if (counted->launches.size() != profile.launches.size())
      throw bad_input(fmt::format("it makes {} launches there", counted->launches.size()));
    std::int64_t blocks = 0, sampled = 0;
    for (std::size_t i = 0; i < profile.launches.size(); ++i) {
      profile.launches[i].lines = counted->launches[i].lines;
      blocks += counted->launches[i].blocks;
      sampled += counted->launches[i].sampled_blocks;
    }
    add_counted_numbers(profile.numbers, counted->numbers);
    profile.lines_from =
        fmt::format("lines: counted on the cpu device, {} of {} blocks, scaled to all", sampled, blocks);
  } catch (const Error& error) {
    profile.lines_from = fmt::format("lines: none, for the cpu device could not count them: {}", error.what());
  }
  return true;
}

void print_compared(const Compared& compared, bool as_json) {
  if (as_json) return report::out_json(compared.as_json());
  const Realized& realized = compared.candidates[0];
  report::out("{} {} {} on {}\n", realized.candidate.kernel, realized.candidate.variant,
              to_text(realized.candidate.config), realized.problem.workload.name);
  report::ProfiledSources sources;
  for (const SourceFile& source : realized.sources) sources.emplace_back(source.name, source.text);
  report::out("{}", report::profile_text(compared.profiles[0], sources));
  if (compared.titles.size() > 1) report::out("\n{}", compared.text());
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
  const auto diagnoser = shell.rooms.diagnoser(places);
  ProfileRequest request{gpu, arguments.blocks, {}};
  if (!arguments.through.empty()) request.through = named<ProfileSource>(arguments.through);
  const FindProfile find = [&](const Realized& realized) {
    auto profile = profiler->profile(realized, request);
    if (profile) profile->diagnosis = diagnoser->diagnose(*profile);
    return profile;
  };
  for (const std::string& workload : workloads) {
    const Realized realized = realize(asked.candidate, workload, *catalog, device);
    line.begin(fmt::format("{} {} on {}", realized.candidate.kernel, realized.candidate.variant, workload));
    auto profile = find(realized);
    if (!profile) return 130;
    if (!device.emulation && !arguments.numbers_only) {
      line.begin("counting lines on the cpu device");
      if (!add_counted_lines(*profile, asked.candidate, workload, request, *catalog, places, shell)) return 130;
      profile->diagnosis = diagnoser->diagnose(*profile);
    }
    Compared compared;
    compared.add("candidate", realized, *profile);
    const bool beside = arguments.beside || (!device.emulation && !arguments.alone);
    if (beside && !add_others(compared, others_beside(realized, *catalog, device, shell), find, line)) return 130;
    line.hide();
    print_compared(compared, arguments.json);
  }
  return 0;
}

}  // namespace

void define_profile(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ProfileArguments>();
  add_candidate_options(app, arguments->words);
  app.add_option("--workload", arguments->workloads,
                 "Workloads, sets, or shapes of your own, separated by commas (default: the first of the set "
                 "'default')");
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  app.add_option("--for", arguments->gpu,
                 "The GPU whose time is predicted; harness devices lists them (default: the first)")
      ->type_name("GPU");
  app.add_option("--blocks", arguments->blocks, "Blocks of a launch that are counted, at most")
      ->check(CLI::Range(4, 65536))
      ->capture_default_str();
  app.add_option("--through", arguments->through,
                 "How a GPU's counters are read: cupti, ncu, or binary for none (default: the best that works)")
      ->type_name("SOURCE");
  app.add_flag("--beside", arguments->beside,
               "Also profile the best that is recorded, the baseline and a rival (on a GPU that is the default)");
  app.add_flag("--alone", arguments->alone, "Profile nothing but the candidate");
  app.add_flag("--no-lines", arguments->numbers_only,
               "On a GPU: its counters alone, without the lines that the cpu device counts");
  app.add_flag("--json", arguments->json, "One JSON object a workload and line");
  add_db_option(app, shell);
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    require_candidate(arguments->words, "profile");
    return profile(*arguments, shell);
  };
}

}  // namespace harness
