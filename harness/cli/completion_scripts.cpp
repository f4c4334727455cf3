#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/cli/complete.h"
#include "harness/cli/help.h"
#include "harness/core/error.h"

// Completions for three shells. What is a list in this program stands in the script; what is recorded, or stands in
// folders, is asked when it is needed (complete.h).
namespace harness {

std::vector<CLI::Option*> options_of(CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

namespace {

/// Whether its values are known to complete.h.
bool is_completed(const CLI::Option& option) {
  for (const std::string& flag : flags_of(option))
    if (completes_option(flag)) return true;
  return false;
}

/// What an option takes where that is a short list: "{technique,stage}" of CLI11's IsMember.
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const auto open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos || close < open) return {};
  return split_commas(type.substr(open + 1, close - open - 1));
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
      "    *:--db|*:--html|*:--markdown|*:--source|*:--fleet|*:--report|*:--kernels|*:--strategies)\n"
      "      COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
      "  esac\n"
      "  if [ -z \"$words\" ]; then\n"
      "    local values\n"
      "    values=$(\"${COMP_WORDS[0]}\" " +
      std::string(kCompleteCommand) +
      fmt::format(
          " \"${{COMP_WORDS[@]:1:COMP_CWORD}}\" 2>/dev/null)\n"
          "    if [ $? -eq {} ]; then COMPREPLY=($(compgen -f -- \"$word\")); return; fi\n",
          kNothingKnown) +
      "    if [ -n \"$values\" ]; then\n"
      "      local IFS=$'\\n'\n"
      "      COMPREPLY=($(compgen -W \"$values\" -- \"$word\"))\n"
      "      return\n"
      "    fi\n"
      "    case $command in\n";
  for (CLI::App* command : app.get_subcommands({})) {
    std::string flags;
    for (CLI::Option* option : options_of(*command)) flags += fmt::format("{} ", fmt::join(flags_of(*option), " "));
    script += fmt::format("    {}) words={} ;;\n", command->get_name(), in_quotes(flags));
  }
  return script +
         "  esac; fi\n"
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
      "_harness_values() {\n"
      "  local -a values\n"
      "  values=(${(f)\"$(harness " +
      std::string(kCompleteCommand) +
      " \"${(@)words[1,CURRENT]}\" 2>/dev/null)\"})\n"
      "  if (( $#values )); then compadd -a values; else _files; fi\n"
      "}\n"
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
                              : choices.empty()     ? ":value:_harness_values"
                                                    : fmt::format(":value:({})", fmt::join(choices, " ")));
    }
    script += " \\\n        '*:argument:_harness_values' ;;\n";
  }
  return script + "  esac\n}\n_harness \"$@\"\n";
}

std::string fish_script(CLI::App& app) {
  std::string script =
      "# fish completion of harness, made by: harness help --completion fish\n"
      "function __harness_values\n"
      "  set -l typed (commandline -opc) (commandline -ct)\n"
      "  harness " +
      std::string(kCompleteCommand) +
      " $typed[2..-1] 2>/dev/null\n"
      "end\n"
      "complete -c harness -f\n"
      "complete -c harness -n 'not __fish_use_subcommand' -a '(__harness_values)'\n";
  for (CLI::App* command : app.get_subcommands({})) {
    script += fmt::format("complete -c harness -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                          in_quotes(command->get_description()));
    for (CLI::Option* option : options_of(*command)) {
      std::string line = fmt::format("complete -c harness -n '__fish_seen_subcommand_from {}'", command->get_name());
      for (const std::string& name : option->get_snames()) line += " -s " + name;
      for (const std::string& name : option->get_lnames()) line += " -l " + name;
      const auto choices = choices_of(*option);
      if (takes_value(*option))
        line += !choices.empty()        ? fmt::format(" -x -a '{}'", fmt::join(choices, " "))
                : is_completed(*option) ? " -x -a '(__harness_values)'"
                                        : " -r -F";
      script += line + " -d " + in_quotes(option->get_description()) + "\n";
    }
  }
  return script;
}

}  // namespace

std::string completion_script(CLI::App& app, const std::string& shell_name) {
  if (shell_name == "bash") return bash_script(app);
  if (shell_name == "zsh") return zsh_script(app);
  if (shell_name == "fish") return fish_script(app);
  throw bad_input(fmt::format("there is no completion for '{}'; there is one for bash, zsh and fish", shell_name));
}

}  // namespace harness
