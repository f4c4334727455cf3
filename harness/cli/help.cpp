#include "harness/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/cli/environment.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/report/out.h"
#include "harness/report/wrap.h"

// help, and the writer of the man page.
namespace harness {
namespace {

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (name == command.name) return command;
    names.emplace_back(command.name);
  }
  const std::string end = did_you_mean(name, names);
  throw bad_input(fmt::format("no command '{}'{}", name, end.empty() ? "; see harness --help" : end));
}

/// Text in a man page: a line may not begin with a dot, and hyphens are to be copied as such.
std::string for_man(const std::string& text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    escaped += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
    line_begins = c == '\n';
  }
  return escaped;
}

std::string man_option(const CLI::Option& option) {
  std::string line = fmt::format(".TP\n.B {}", for_man(fmt::format("{}", fmt::join(flags_of(option), ", "))));
  if (takes_value(option))
    line += " \\fI" + for_man(option.get_type_name().empty() ? "VALUE" : option.get_type_name()) + "\\fR";
  return line + "\n" + for_man(option.get_description()) + "\n";
}

int print_help(const std::string& name, Shell& shell) {
  const auto app = described_commands(shell);
  if (name.empty()) {
    report::tell("{}", app->help());
    return 0;
  }
  const Command& command = find_command(name);
  report::tell("{}", app->get_subcommand(command.name)->help("harness"));
  return 0;
}

}  // namespace

std::unique_ptr<CLI::App> described_commands(Shell& shell) {
  auto app = std::make_unique<CLI::App>("harness: an agentic optimization harness for CUDA kernels", "harness");
  for (const Command& command : commands()) {
    CLI::App* sub = app->add_subcommand(command.name, command.summary)->group(command.group);
    std::function<int()> unused;
    command.define(*sub, shell, unused);
    add_examples(*sub, command);
  }
  app->footer(environment_help());
  return app;
}

std::string man_page(CLI::App& app, const std::string& version) {
  std::string page = fmt::format(
      ".\\\" made by: harness help --man\n.TH HARNESS 1 \"\" \"harness {}\" \"User Commands\"\n"
      ".SH NAME\nharness \\- makes CUDA kernels faster within a budget, and keeps the record\n"
      ".SH SYNOPSIS\n.B harness\n.I COMMAND\n[\\fIOPTION\\fR]...\n"
      ".SH DESCRIPTION\n"
      "harness compiles variants of a kernel, checks each for correctness, times it beside the best so far, and "
      "chooses\n"
      "what to try next. Every attempt goes into one SQLite file, the store, with its evidence and its cost.\n"
      ".SH COMMANDS\n",
      version);
  for (const Command& command : commands()) {
    CLI::App* sub = app.get_subcommand(command.name);
    page += fmt::format(".SS harness {}\n{}.\n", command.name, for_man(command.summary));
    for (CLI::Option* option : sub->get_options([](const CLI::Option* each) { return each->get_positional(); }))
      page += fmt::format(".TP\n.I {}\n{}\n", for_man(option->get_name(true)), for_man(option->get_description()));
    for (CLI::Option* option : options_of(*sub)) page += man_option(*option);
    for (const char* example : command.examples) page += fmt::format(".PP\n.EX\n{}\n.EE\n", for_man(example));
  }
  page += ".SH EXIT STATUS\n";
  for (const auto& [status, meaning] : std::initializer_list<std::pair<int, const char*>>{
           {0, "done, and what was asked for holds"},
           {1, "done, but it does not hold: no candidate passed, a check failed"},
           {2, "bad usage or bad input"},
           {3, "the environment lacks or lost something: a device, a compiler, a store that can be written"},
           {130, "interrupted; everything that ended is saved"}})
    page += fmt::format(".TP\n.B {}\n{}\n", status, for_man(meaning));
  return page + ".SH ENVIRONMENT\n.nf\n" + for_man(environment_help()) + "\n.fi\n";
}

void add_examples(CLI::App& app, const Command& command) {
  if (command.examples.empty()) return;
  std::string text = app.get_footer();
  text += text.empty() ? "Examples:" : "\n\nExamples:";
  for (const char* example : command.examples) text += fmt::format("\n  {}", example);
  app.footer(text);
}

void define_help(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto name = std::make_shared<std::string>();
  auto completion = std::make_shared<std::string>();
  auto man = std::make_shared<bool>(false);
  app.add_option("command", *name, "A command")->type_name("COMMAND");
  app.add_option("--completion", *completion, "Print the completion for a shell: bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  app.add_flag("--man", *man, "Print the manual page");
  action = [name, completion, man, &shell] {
    if (completion->empty() && !*man) return print_help(*name, shell);
    const auto described = described_commands(shell);
    report::out("{}",
                (*man ? man_page(*described, shell.rooms.program.number) : completion_script(*described, *completion)));
    return 0;
  };
}

}  // namespace harness
