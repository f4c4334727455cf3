#pragma once
#include <string>
#include <vector>

#include "harness/cli/command.h"

// What a shell may put in the place of a half typed word: names from folders and from the record.
namespace harness {

/// The command that the scripts of completion_scripts.cpp call with the words after "harness", the half typed one last.
/// It prints a candidate a line. It is in no help.
inline constexpr const char* kCompleteCommand = "__complete";
/// Its status where a value belongs that it knows nothing of: a file, perhaps.
inline constexpr int kNothingKnown = 4;

/// Whether the values of this option are looked up: "--variant".
bool completes_option(const std::string& flag);

/// Never throws: what cannot be read has no names. The status is 0, or kNothingKnown.
int complete(const std::vector<std::string>& words, Shell& shell);

}  // namespace harness
