#pragma once
#include <string>
#include <vector>

#include "harness/core/plan.h"

namespace harness::cpu {

struct Flags {
  std::vector<std::string> arguments;  // for g++
  std::vector<std::string> own;        // of them, those that are the same for every candidate: no defines, no folders
  std::vector<std::string> ignored;    // options of the build that mean nothing here
};

/// g++'s arguments for a build, without files. Only what is known to be harmless gets through from the options.
Flags compile_flags(const BuildSpec& spec, const std::string& include_folder);

/// g++'s arguments for linking a candidate: nothing may stay undefined but what the loading program exports (abi.h),
/// and nothing runs when it is loaded, so there are no start files. All that is written once is read-only afterwards
/// (relro), and the hash table is the one that counts the symbols.
std::vector<std::string> link_flags(const BuildSpec& spec);

}  // namespace harness::cpu
