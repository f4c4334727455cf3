#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <new>
#include <system_error>

#include "harness/cli/command.h"
#include "harness/cli/complete.h"
#include "harness/cli/environment.h"
#include "harness/cli/status.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/report/out.h"
#include "harness/report/wrap.h"

namespace harness {
namespace {

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return names;
}

// "; did you mean 'run'?" ends with its own mark.
std::string sentence_end(const std::string& suggestion) {
  return suggestion.empty() ? "." : suggestion;
}

// CLI11 says "extras" for an unknown command; people want to hear the nearest one.
void refuse_unknown_command(int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  for (const std::string& name : command_names())
    if (name == argv[1]) return;
  throw bad_input(fmt::format("no command '{}'{} See harness --help", argv[1],
                              sentence_end(did_you_mean(argv[1], command_names()))));
}

// "harness fleet slurm"
std::string words(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return (parent ? words(*parent) + " " : "") + command.get_name();
}

const CLI::App& innermost(const CLI::App& app) {
  const CLI::App* at = &app;
  while (!at->get_subcommands().empty()) at = at->get_subcommands().front();
  return *at;
}

// CLI11 lists what is left over, last one first. The first of it says what is wrong.
std::string left_over(const CLI::App& app, const CLI::App& command, int argc, char** argv) {
  const std::vector<std::string> rest = app.remaining(true);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], option = word.substr(0, word.find('='));
    if (std::find(rest.begin(), rest.end(), word) == rest.end()) continue;
    if (!word.starts_with("-")) return fmt::format("'{}' was not expected.", word);
    std::vector<std::string> known;
    for (const CLI::Option* each : command.get_options())
      for (const std::string& name : each->get_lnames()) known.push_back("--" + name);
    return fmt::format("no option '{}'{}", option, sentence_end(did_you_mean(option, known)));
  }
  return "more was said than is understood.";
}

int dispatch(int argc, char** argv, const Rooms& rooms) {
  if (argc == 1 || std::string_view(argv[1]) == kCompleteCommand) {
    Shell shell{rooms, {}, {}, ""};
    return argc == 1 ? print_status(shell) : complete(std::vector<std::string>(argv + 2, argv + argc), shell);
  }
  refuse_unknown_command(argc, argv);
  CLI::App app{"harness: an agentic optimization harness for CUDA kernels", "harness"};
  app.set_version_flag("--version", fmt::format("harness {} ({})", rooms.program.number, rooms.program.revision));
  app.require_subcommand(1);
  Shell shell{rooms, {}, {}, ""};
  shell.tell = [](const std::string& sentence) { report::err("harness: {}\n", sentence); };
  std::vector<std::function<int()>> actions(commands().size());
  std::vector<CLI::App*> defined;
  for (std::size_t i = 0; i < commands().size(); ++i) {
    CLI::App* sub = app.add_subcommand(commands()[i].name, commands()[i].summary)->group(commands()[i].group);
    commands()[i].define(*sub, shell, actions[i]);
    add_examples(*sub, commands()[i]);
    defined.push_back(sub);
  }
  app.footer(environment_help());  // after the commands, which would repeat it
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    report::tell("{}", app.help());
    return 0;
  } catch (const CLI::Success& success) {
    return app.exit(success);  // --version
  } catch (const CLI::ConversionError& error) {
    std::string text = error.what();  // "Could not convert: iteration = x"
    if (const std::string lead = "Could not convert: "; text.starts_with(lead))
      text = "a number was expected: " + text.substr(lead.size());
    throw bad_input(fmt::format("{} (see harness {} --help)", text, argv[1]));
  } catch (const CLI::ExtrasError&) {
    const CLI::App& command = innermost(app);
    const std::string said = left_over(app, command, argc, argv);
    throw bad_input(fmt::format("{} See {} --help", said, words(command)));
  } catch (const CLI::ParseError& error) {
    throw bad_input(fmt::format("{} (see harness {}--help)", error.what(),
                                argc > 1 && argv[1][0] != '-' ? std::string(argv[1]) + " " : ""));
  }
  for (std::size_t i = 0; i < defined.size(); ++i)
    if (defined[i]->parsed()) return actions[i]();
  return 2;
}

}  // namespace

void add_db_option(CLI::App& app, Shell& shell) {
  app.add_option("--db", shell.db, "The store (default: $HARNESS_DB, else experiments.db in the project's top folder)")
      ->type_name("FILE");
}

void add_plugin_options(CLI::App& app, Shell& shell) {
  app.add_option("--kernels", shell.more_kernels, "A further folder of kernel plugins")->type_name("DIR");
  app.add_option("--strategies", shell.more_strategies, "A further folder of strategies")->type_name("DIR");
}

void add_times_options(CLI::App& app, AskedTimes& times) {
  app.add_option(
         "--for", times.gpu,
         "With --device cpu: times are predicted for this GPU by counting, not measured; harness devices lists them "
         "(default: the first)")
      ->type_name("GPU");
  app.add_flag("--emulated", times.emulated,
               "With --device cpu: the times of the emulation itself, which rank nothing on a GPU");
}

void add_parameter_option(CLI::App& app, CandidateWords& words) {
  app.add_option("-p", words.parameters, "A parameter's value; the others take their first valid one")
      ->type_name("NAME=VALUE")
      ->take_all();
}

void add_candidate_options(CLI::App& app, CandidateWords& words) {
  app.add_option("kernel", words.kernel, "The kernel");
  app.add_option("variant", words.variant, "The variant");
  app.add_option("--from", words.from, "What this recorded iteration evaluated")->type_name("ITERATION");
  app.add_option("--source", words.source, "An edited source, in the place of the variant's own")->type_name("FILE");
  add_parameter_option(app, words);
}

void require_candidate(const CandidateWords& words, const char* command) {
  if (words.from == 0 && (words.kernel.empty() || words.variant.empty()))
    throw bad_input(
        fmt::format("name a kernel and a variant, or --from an iteration: harness {} KERNEL VARIANT", command));
}

void add_gate_options(CLI::App& app, Shell& shell) {
  app.add_flag("--trust-source", shell.trust_source,
               "Run kernels also where this machine cannot keep them from its files and clocks; recorded with each");
  app.add_option("--policy", shell.policy,
                 "What the source policy flags (clocks, eviction hints, state, includes) is refused, or only marked")
      ->check(CLI::IsMember({"refuse", "mark"}))
      ->capture_default_str();
  app.add_flag("--no-preflight", shell.no_preflight, "Do not try candidates for a GPU on the cpu device first");
}

void add_shared_options(CLI::App& app, Shell& shell) {
  add_db_option(app, shell);
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
}

int run_command_line(int argc, char** argv, const Rooms& rooms) {
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) is an error with a sentence
  try {
    const int status = dispatch(argc, argv, rooms);
    // Results that nobody could read are no results: a full disk, a closed descriptor.
    if (!std::cout.flush() || std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
      throw environment_error("standard output cannot be written; is its disk full?");
    return status;
  } catch (const Error& error) {
    report::err("harness: {}\n", error.what());
    return error.exit_status();
  } catch (const std::bad_alloc&) {
    std::fputs("harness: this machine, or a limit on this process (ulimit -v), has no memory left for it\n", stderr);
    return 3;
  } catch (const std::system_error& error) {  // no thread, no lock
    report::err("harness: this machine, or a limit on this process (ulimit -u, -v), refuses it what it needs: {}\n",
                error.what());
    return 3;
  } catch (
      const std::exception& error) {  // nothing foreseen throws these: a person still gets a sentence, not an abort
    report::err("harness: unexpected: {}\n", error.what());
    return 3;
  }
}

}  // namespace harness
