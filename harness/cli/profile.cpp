#include <fmt/format.h>

#include <memory>
#include <vector>

#include "harness/cli/command.h"
#include "harness/cli/task_line.h"
#include "harness/report/out.h"
#include "harness/report/profile_columns.h"
#include "harness/report/profile_view.h"
#include "harness/service/asked_profile.h"
#include "harness/system/awake_clock.h"
#include "harness/system/interrupt.h"

// profile: what a variant does on a GPU, line by line.
namespace harness {
namespace {

struct ProfileArguments {
  ProfileAsked asked;
  std::string workloads;
  bool json = false;
};

std::string candidate_text(const Candidate& candidate) {
  const std::string config = to_text(candidate.config);
  return candidate.variant + (config.empty() ? "" : " " + config);
}

void print_compared(const ComparedProfiles& compared, bool as_json) {
  if (as_json) return report::out_json(compared.as_json());
  const Realized& realized = compared.candidates[0];
  report::out("{} {} {} on {}\n", realized.candidate.kernel, realized.candidate.variant,
              to_text(realized.candidate.config), realized.problem.workload.name);
  report::ProfiledSources sources;
  for (const SourceFile& source : realized.sources) sources.emplace_back(source.name, source.text);
  report::out_text(report::profile_text(compared.profiles[0], sources));
  if (compared.titles.size() < 2) return;
  std::vector<report::ProfileColumn> columns;
  for (std::size_t i = 0; i < compared.titles.size(); ++i)
    columns.push_back({compared.titles[i], candidate_text(compared.candidates[i].candidate), compared.profiles[i]});
  report::out("\n{}", report::profile_columns(columns));
}

int profile(const ProfileArguments& arguments, Shell& shell) {
  watch_for_stops();
  Places places = shell.places();
  catch_interrupts();
  const TaskLine line(arguments.json, &places);
  const auto ended = [&](const ComparedProfiles& compared) {
    line.hide();
    print_compared(compared, arguments.json);
  };
  return profile_asked(arguments.asked, places, shell, {[&line](const std::string& task) { line.begin(task); }, ended})
             ? 0
             : 130;
}

}  // namespace

void define_profile(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ProfileArguments>();
  ProfileAsked& asked = arguments->asked;
  add_candidate_options(app, asked.words);
  app.add_option("--workload", arguments->workloads,
                 "Workloads, sets, or shapes of your own, separated by commas (default: the first of the set "
                 "'default')");
  app.add_option("--device", asked.device, shell.rooms.device_words)->capture_default_str();
  app.add_option("--for", asked.gpu, "The GPU whose time is predicted; harness devices lists them (default: the first)")
      ->type_name("GPU");
  app.add_option("--blocks", asked.blocks, "Blocks of a launch that are counted, at most")
      ->check(CLI::Range(4, 65536))
      ->capture_default_str();
  app.add_option("--through", asked.through,
                 "How a GPU's counters are read: cupti, ncu, or binary for none (default: the best that works)")
      ->type_name("SOURCE");
  app.add_flag("--beside", asked.beside,
               "Also profile the best that is recorded, the baseline and a rival (on a GPU that is the default)");
  app.add_flag("--alone", asked.alone, "Profile nothing but the candidate");
  app.add_flag("--no-lines", asked.numbers_only,
               "On a GPU: its counters alone, without the lines that the cpu device counts");
  app.add_flag("--json", arguments->json, "One JSON object a workload and line");
  add_shared_options(app, shell);
  action = [arguments, &shell] {
    require_candidate(arguments->asked.words, "profile");
    arguments->asked.workloads = split_commas(arguments->workloads);
    arguments->asked.stop = interrupted;
    return profile(*arguments, shell);
  };
}

}  // namespace harness
