#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <thread>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/simulate/read_space.h"
#include "harness/simulate/simulation.h"

namespace harness {
namespace {

struct SimulateArguments {
  std::vector<std::string> spaces;
  std::string searches = "default", search, trace, arm;  // `search`: the one of `searches` whose turn it is
  std::vector<std::string> earlier;
  int repeats = 20, threads = 0, devices = 1;
  std::uint64_t seed = 0;
  double budget_factor = 1;
  bool json = false;
};

/// The repeats of one space, summed up.
struct Simulated {
  std::string space, search;
  simulate::Yardstick yardstick;
  std::vector<simulate::Repeat> repeats;
  std::vector<double> scores;
  double score = 0, error = 0, p_end = 0, best_over_optimum = 0, evaluations = 0, budget_s = 0;
  int near = 0, exhausted = 0;
};

void sum_up(Simulated& done, double factor) {
  const auto count = static_cast<double>(done.repeats.size());
  for (const simulate::Repeat& repeat : done.repeats) {
    const auto score = done.yardstick.score(repeat.trace, factor);
    done.scores.push_back(score.p);
    done.score += score.p / count;
    done.p_end += score.p_end / count;
    done.best_over_optimum += score.best_over_optimum / count;
    done.evaluations += static_cast<double>(repeat.evaluations) / count;
    done.near += score.within_5_percent_s ? 1 : 0;
    done.exhausted += repeat.exhausted ? 1 : 0;
  }
  double squares = 0;
  for (const double score : done.scores) squares += (score - done.score) * (score - done.score);
  if (done.scores.size() > 1) done.error = std::sqrt(squares / (count - 1) / count);
}

Simulated simulate_space(const std::string& file, const SimulateArguments& arguments, ScriptLibrary& scripts) {
  simulate::RecordedSpace space = simulate::read_space(file, arguments.arm);
  for (const std::string& known : arguments.earlier)
    simulate::tell_earlier(space, simulate::read_space(known, arguments.arm));
  Simulated done{space.name, arguments.search, simulate::Yardstick(space), {}, {}};
  done.budget_s = done.yardstick.budget_s() * arguments.budget_factor;
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  const int threads = std::min(arguments.repeats, std::max(1, arguments.threads > 0 ? arguments.threads : cores));
  const auto make = [&](std::uint64_t seed) { return scripts.search(arguments.search, space.arm, seed); };
  done.repeats =
      simulate::run_repeats(space, make, arguments.repeats, arguments.seed, done.budget_s, threads, arguments.devices);
  sum_up(done, arguments.budget_factor);
  return done;
}

void write_traces(std::ofstream& out, const Simulated& done) {
  for (const simulate::Repeat& repeat : done.repeats)
    out << json_text(
               json{{"space", done.space}, {"seed", repeat.seed}, {"strategy", done.search}, {"trace", repeat.trace}})
        << '\n';
}

json as_json(const Simulated& done) {
  const auto& yardstick = done.yardstick;
  return {{"space", done.space},
          {"search", done.search},
          {"repeats", done.repeats.size()},
          {"score", done.score},
          {"score_error", done.error},
          {"score_end", done.p_end},
          {"per_seed", done.scores},
          {"budget_s", done.budget_s},
          {"within_5_percent", done.near},
          {"best_over_optimum", done.best_over_optimum},
          {"evaluations", done.evaluations},
          {"optimum_ms", yardstick.optimum_ms()},
          {"median_ms", yardstick.median_ms()},
          {"configurations", yardstick.configurations()},
          {"timed", yardstick.timed()},
          {"random_evaluations", yardstick.evaluations()}};
}

/// The results of all searches on all spaces, a row each.
report::Table results_table(const std::vector<Simulated>& all, bool several) {
  report::Table table{{"space", "score", "+-", "at end", "within 5%", "best", "evaluations", "budget"}, {}};
  if (several) table.columns.insert(table.columns.begin() + 1, "search");
  for (const Simulated& done : all) {
    std::vector<report::Cell> cells{done.space,
                                    fmt::format("{:+.3f}", done.score),
                                    fmt::format("{:.3f}", done.error),
                                    fmt::format("{:+.3f}", done.p_end),
                                    fmt::format("{}/{}", done.near, done.repeats.size()),
                                    fmt::format("{:.3f}x", done.best_over_optimum),
                                    fmt::format("{:.0f}", done.evaluations),
                                    fmt::format("{:.1f} s", done.budget_s)};
    if (several) cells.insert(cells.begin() + 1, done.search);
    table.rows.push_back(std::move(cells));
  }
  return table;
}

void explain_columns() {
  report::tell(
      "score      0 is what random search is expected to do, 1 is knowing the best at once: a mean over the budget\n+- "
      "        its standard error over the repeats\nat end     the same at the end of the budget alone\nwithin 5%  "
      "repeats that came within 5 % of the way from the optimum to the median\nbest       the best time that was met "
      "over the optimum, a mean\nbudget     the time random search is expected to need for that (times "
      "--budget-factor)\n");
}

void print_results(const std::vector<Simulated>& all, const std::vector<std::string>& searches, int repeats) {
  const bool several = searches.size() > 1;
  report::out("{}", report::aligned(results_table(all, several)));
  for (const std::string& search : searches) {
    double sum = 0;
    int near = 0, spaces = 0;
    for (const Simulated& done : all)
      if (done.search == search) sum += done.score, near += done.near, ++spaces;
    if (spaces > 1)
      report::out("mean of {} spaces{}: score {:+.3f}, within 5% in {:.1f} %\n", spaces,
                  several ? (", " + search).c_str() : "", sum / spaces, 100.0 * near / (double(spaces) * repeats));
  }
  for (const Simulated& done : all)
    if (done.exhausted > 0)
      report::tell("{}, {}: {} repeats ended before the budget: the search asked no more\n", done.space, done.search,
                   done.exhausted);
  report::out("\n");
  explain_columns();
}

int simulate_all(const SimulateArguments& arguments, Shell& shell) {
  const auto scripts = shell.rooms.scripts(shell.places());
  std::ofstream trace;
  if (!arguments.trace.empty()) {
    trace.open(arguments.trace);
    if (!trace) throw environment_error(fmt::format("cannot write the traces to '{}'", arguments.trace));
  }
  std::vector<std::string> searches = split_commas(arguments.searches);
  if (searches.empty()) throw bad_input("--search names no search; see harness strategies");
  std::vector<Simulated> all;
  for (const std::string& file : arguments.spaces)
    for (const std::string& search : searches) {
      SimulateArguments one = arguments;
      one.search = search;
      all.push_back(simulate_space(file, one, *scripts));
      if (trace.is_open()) write_traces(trace, all.back());
      if (!arguments.json) continue;
      report::out_json(as_json(all.back()));
      std::fflush(stdout);
    }
  if (!arguments.json) print_results(all, searches, arguments.repeats);
  trace.flush();
  if (!arguments.trace.empty() && !trace)
    throw environment_error(fmt::format("the traces could not all be written to '{}'", arguments.trace));
  return 0;
}

}  // namespace

void define_simulate(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<SimulateArguments>();
  app.add_option("space", arguments->spaces,
                 "Recorded spaces: Kernel Tuner caches, T4 files (both also .gz), texts of harness export")
      ->required()
      ->type_name("SPACE");
  app.add_option("--search", arguments->searches,
                 "Chooses the configurations: a name or a file; several with commas between them, in one table")
      ->capture_default_str();
  app.add_option("--devices", arguments->devices,
                 "Evaluations under way at once, for searches that take several; seconds are those of all devices")
      ->check(CLI::Range(1, 1024));
  app.add_option("--repeats", arguments->repeats, "Runs, each with a seed of its own")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--seed", arguments->seed, "Of the first repeat; the next ones count up")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--budget-factor", arguments->budget_factor,
                 "Multiplies the budget, which is the time random search is expected to need to come within 5 % of the "
                 "way from the optimum to the median")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  app.add_option("--arm", arguments->arm, "KERNEL/WORKLOAD[/TECHNIQUE] of an export that holds several");
  app.add_option("--earlier", arguments->earlier,
                 "A recorded space that the search knows already, as results of another workload or device; may be "
                 "given several times")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->type_name("SPACE");
  app.add_option("--threads", arguments->threads, "Repeats at a time (default: one a core)")
      ->check(CLI::Range(1, 1024));
  app.add_option("--trace", arguments->trace, "Write what each repeat found and when, one JSON line a repeat")
      ->type_name("FILE");
  app.add_flag("--json", arguments->json, "One JSON object a space and line");
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return simulate_all(*arguments, shell); };
}

}  // namespace harness
