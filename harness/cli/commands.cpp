#include "harness/cli/command.h"

namespace harness {

void define_run(CLI::App&, Shell&, std::function<int()>&);
void define_eval(CLI::App&, Shell&, std::function<int()>&);
void define_check(CLI::App&, Shell&, std::function<int()>&);
void define_devices(CLI::App&, Shell&, std::function<int()>&);
void define_kernels(CLI::App&, Shell&, std::function<int()>&);
void define_variants(CLI::App&, Shell&, std::function<int()>&);
void define_strategies(CLI::App&, Shell&, std::function<int()>&);
void define_playbook(CLI::App&, Shell&, std::function<int()>&);
void define_simulate(CLI::App&, Shell&, std::function<int()>&);
void define_history(CLI::App&, Shell&, std::function<int()>&);
void define_show(CLI::App&, Shell&, std::function<int()>&);
void define_best(CLI::App&, Shell&, std::function<int()>&);
void define_diff(CLI::App&, Shell&, std::function<int()>&);
void define_cost(CLI::App&, Shell&, std::function<int()>&);
void define_query(CLI::App&, Shell&, std::function<int()>&);
void define_export(CLI::App&, Shell&, std::function<int()>&);
void define_import(CLI::App&, Shell&, std::function<int()>&);
void define_replay(CLI::App&, Shell&, std::function<int()>&);
void define_new(CLI::App&, Shell&, std::function<int()>&);
void define_adopt(CLI::App&, Shell&, std::function<int()>&);
void define_package(CLI::App&, Shell&, std::function<int()>&);
void define_verify(CLI::App&, Shell&, std::function<int()>&);
void define_guard(CLI::App&, Shell&, std::function<int()>&);
void define_init(CLI::App&, Shell&, std::function<int()>&);

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"run", "Optimize kernels within a budget", define_run},
      {"eval", "Evaluate one variant: build, gates, timing", define_eval},
      {"check", "Check kernel plugins: manifests, references, gates, builds", define_check},
      {"devices", "The devices here, and what is missing", define_devices},
      {"kernels", "The kernel plugins", define_kernels},
      {"variants", "A kernel's variants and their parameters", define_variants},
      {"strategies", "The strategies, rules and searches", define_strategies},
      {"playbook", "The patterns of the playbook, and what came of them", define_playbook},
      {"simulate", "Try a search on a recorded space, with no device", define_simulate},
      {"history", "Recorded iterations, newest first", define_history},
      {"show", "One iteration: decision, gates, times, resources, log", define_show},
      {"best", "The fastest candidate of every workload", define_best},
      {"diff", "Two iterations side by side", define_diff},
      {"cost", "Where time and money went", define_cost},
      {"query", "Ask the store in SQL, read-only", define_query},
      {"export", "Write a store, or one campaign of it, as text", define_export},
      {"import", "Read such a text, or what other tuners recorded, into a store", define_import},
      {"replay", "What another strategy would have decided on a recorded campaign", define_replay},
      {"adopt", "Make a kernel plugin out of an ordinary CUDA source", define_adopt},
      {"package", "The winners of a kernel as a folder that stands alone", define_package},
      {"verify", "Whether a package still holds: digests, gates, winners beside the original", define_verify},
      {"guard", "In CI: whether kernels are right and as fast as a package of them", define_guard},
      {"init", "Make a project folder for kernels and strategies of your own", define_init},
      {"new", "Start a kernel, variant, strategy, rule, search or pattern from a template", define_new},
  };
  return table;
}

}  // namespace harness
