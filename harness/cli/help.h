#pragma once
#include <string>

#include "harness/cli/command.h"

// What is made from the one table of commands: examples, completions of shells, the man page.
namespace harness {

/// Every command with its options, ready to be described; nothing is parsed or run.
std::unique_ptr<CLI::App> described_commands(Shell& shell);

/// "bash", "zsh" or "fish" (completion_scripts.cpp). Throws Error(bad_input) for another one.
std::string completion_script(CLI::App& app, const std::string& shell_name);
/// A command's options that people are told of: those without a group are for the program itself.
std::vector<CLI::Option*> options_of(CLI::App& command);
/// "-o", "--output".
std::vector<std::string> flags_of(const CLI::Option& option);
bool takes_value(const CLI::Option& option);
/// harness(1) in man(7) macros.
std::string man_page(CLI::App& app, const std::string& version);

}  // namespace harness
