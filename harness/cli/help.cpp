#include "harness/cli/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "harness/cli/environment.h"
#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/report/out.h"

// help, and the hidden writers of completions and the man page.
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

std::vector<CLI::Option*> options_of(CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->nonpositional(); });
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

/// What an option takes where that is a short list: "{technique,stage}" of CLI11's IsMember.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return split_commas(type.substr(open + 1, close - open - 1));
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// A text within single quotes of a shell.
std::string in_quotes(const std::string& text) {
  std::string quoted;
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + quoted + "'";
}

std::string bash_script(CLI::App& app) {
  std::string script =
      "# bash completion of harness, made by: harness help --completion bash\n"
      "_harness() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n";
  std::string names;
  for (CLI::App* command : app.get_subcommands({})) names += command->get_name() + " ";
  script += fmt::format("    COMPREPLY=($(compgen -W {} -- \"$word\"))\n    return\n  fi\n  case $command:$before in\n",
                        in_quotes(names + "--help --version"));
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : options_of(*command)) {
      const auto choices = choices_of(*option);
      if (choices.empty()) continue;
      std::string patterns;
      for (const std::string& flag : flags_of(*option))
        patterns += fmt::format("{}{}:{}", patterns.empty() ? "" : "|", command->get_name(), flag);
      script += fmt::format("    {}) words={} ;;\n", patterns, in_quotes(fmt::format("{}", fmt::join(choices, " "))));
    }
  script +=
      "    *:--db|*:--html|*:--markdown|*:--source|*:--fleet) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "  esac\n"
      "  if [ -z \"$words\" ]; then case $command in\n";
  for (CLI::App* command : app.get_subcommands({})) {
    std::string flags;
    for (CLI::Option* option : options_of(*command)) flags += fmt::format("{} ", fmt::join(flags_of(*option), " "));
    script += fmt::format("    {}) words={} ;;\n", command->get_name(), in_quotes(flags));
  }
  return script +
         "  esac; fi\n"
         "  case $command:$word in\n"
         "    help:*) words=\"$words " +
         names +
         "\" ;;\n"
         "    "
         "run:[!-]*|run:|best:[!-]*|best:|recommend:*|variants:*|check:[!-]*|check:|eval:[!-]*|eval:|sweep:[!-]*|sweep:"
         ")\n"
         "      words=\"$words $(harness kernels 2>/dev/null | awk 'NR > 1 { print $1 }')\" ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "}\n"
         "complete -F _harness harness\n";
}

/// _arguments' own characters.
std::string for_zsh(const std::string& text) {
  std::string escaped;
  for (const char c : text)
    escaped += c == '\''                                       ? std::string("'\\''")
               : c == '[' || c == ']' || c == ':' || c == '\\' ? std::string("\\") + c
                                                               : std::string(1, c);
  return escaped;
}

std::string zsh_script(CLI::App& app) {
  std::string script =
      "#compdef harness\n"
      "# zsh completion of harness, made by: harness help --completion zsh\n"
      "_harness() {\n"
      "  local -a commands\n"
      "  commands=(\n";
  for (CLI::App* command : app.get_subcommands({}))
    script += fmt::format("    '{}:{}'\n", command->get_name(), for_zsh(command->get_description()));
  script +=
      "  )\n"
      "  if (( CURRENT == 2 )); then _describe command commands; return; fi\n"
      "  local command=$words[2]\n"
      "  shift words; (( CURRENT-- ))\n"
      "  case $command in\n";
  for (CLI::App* command : app.get_subcommands({})) {
    script += fmt::format("    {})\n      _arguments", command->get_name());
    for (CLI::Option* option : options_of(*command)) {
      const auto choices = choices_of(*option);
      for (const std::string& flag : flags_of(*option))
        script += fmt::format(" \\\n        '{}[{}]{}'", flag, for_zsh(option->get_description()),
                              !takes_value(*option) ? ""
                              : choices.empty()     ? ":value:_files"
                                                    : fmt::format(":value:({})", fmt::join(choices, " ")));
    }
    script += " \\\n        '*:argument:_files' ;;\n";
  }
  return script + "  esac\n}\n_harness \"$@\"\n";
}

std::string fish_script(CLI::App& app) {
  std::string script =
      "# fish completion of harness, made by: harness help --completion fish\ncomplete -c harness -f\n";
  for (CLI::App* command : app.get_subcommands({})) {
    script += fmt::format("complete -c harness -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                          in_quotes(command->get_description()));
    for (CLI::Option* option : options_of(*command)) {
      std::string line = fmt::format("complete -c harness -n '__fish_seen_subcommand_from {}'", command->get_name());
      for (const std::string& name : option->get_snames()) line += " -s " + name;
      for (const std::string& name : option->get_lnames()) line += " -l " + name;
      const auto choices = choices_of(*option);
      if (takes_value(*option))
        line += choices.empty() ? " -r -F" : fmt::format(" -x -a '{}'", fmt::join(choices, " "));
      script += line + " -d " + in_quotes(option->get_description()) + "\n";
    }
  }
  return script;
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
    report::out("%s", app->help().c_str());
    return 0;
  }
  const Command& command = find_command(name);
  report::out("%s", app->get_subcommand(command.name)->help("harness").c_str());
  return 0;
}

}  // namespace

std::unique_ptr<CLI::App> described_commands(Shell& shell) {
  auto app = std::make_unique<CLI::App>("harness: an agentic optimization harness for CUDA kernels", "harness");
  for (const Command& command : commands()) {
    CLI::App* sub = app->add_subcommand(command.name, command.summary);
    std::function<int()> unused;
    command.define(*sub, shell, unused);
    add_examples(*sub, command);
  }
  app->footer(environment_help());
  return app;
}

std::string completion_script(CLI::App& app, const std::string& shell_name) {
  if (shell_name == "bash") return bash_script(app);
  if (shell_name == "zsh") return zsh_script(app);
  if (shell_name == "fish") return fish_script(app);
  throw bad_input(fmt::format("there is no completion for '{}'; there is one for bash, zsh and fish", shell_name));
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
    report::out(
        "%s",
        (*man ? man_page(*described, shell.rooms.program.number) : completion_script(*described, *completion)).c_str());
    return 0;
  };
}

}  // namespace harness
