#pragma once
#include <string>
#include <vector>

#include "harness/cli/command.h"

// What `check` and `eval` do, for a command that ends with them.
namespace harness {

/// As `harness check KERNEL --device D`, but that the baseline's first configuration is left to first_evaluation():
/// the problems, none where it is fit. `quiet`: nothing is printed.
std::vector<std::string> first_check(const std::string& kernel, const std::string& device, bool quiet, Shell& shell);
/// As `harness eval KERNEL VARIANT --device D`; whether every outcome is passed.
bool first_evaluation(const std::string& kernel, const std::string& variant, const std::string& device, bool quiet,
                      Shell& shell);

}  // namespace harness
