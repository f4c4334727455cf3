#pragma once
#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "harness/service/arguments.h"
#include "harness/service/asked_candidate.h"
#include "harness/service/model_shapes.h"
#include "harness/service/shell.h"

namespace harness {

/// A command adds its arguments to `app` and sets `action`, which returns the exit status.
struct Command {
  const char* group;  // under which heading of --help it stands
  const char* name;
  const char* summary;
  void (*define)(CLI::App& app, Shell& shell, std::function<int()>& action);
  std::vector<const char*> examples = {};  // whole lines, for help and the man page
};
/// Puts them below a command's help.
void add_examples(CLI::App& app, const Command& command);

const std::vector<Command>& commands();  // in the order of --help

// Options that several commands have, worded once.
void add_db_option(CLI::App& app, Shell& shell);
void add_plugin_options(CLI::App& app, Shell& shell);
void add_gate_options(CLI::App& app, Shell& shell);
void add_shared_options(CLI::App& app, Shell& shell);  // these three

void add_times_options(CLI::App& app, AskedTimes& times);
/// --workload, --model with what belongs to it, --mix; asked_words reads them.
void add_workload_options(CLI::App& app, WorkloadWords& words);
void add_model_options(CLI::App& app, ModelAsked& model);  // --phase, --batch and --context
/// KERNEL VARIANT, --from, --source and -p.
void add_candidate_options(CLI::App& app, CandidateWords& words);
void add_parameter_option(CLI::App& app, CandidateWords& words);
/// Throws Error(bad_input) where neither a variant nor an iteration is named.
void require_candidate(const CandidateWords& words, const char* command);

/// Runs the program; the exit status of CLI.md.
int run_command_line(int argc, char** argv, const Rooms& rooms);

}  // namespace harness
