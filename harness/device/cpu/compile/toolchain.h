#pragma once
#include <string>
#include <vector>

namespace harness::cpu {

/// The path of a g++ that can be used: g++ of PATH, or where that is too old the newest g++-NUMBER. Throws
/// environment_error, which says what brings one on this distribution.
std::string find_compiler();

/// "g++ 12.2.0". Throws environment_error if the program does not answer as g++ does.
std::string compiler_version(const std::string& compiler);

/// Where the compiler's programs, libraries and headers are: all that its processes must reach beside a build's own.
std::vector<std::string> toolchain_folders(const std::string& compiler);

/// What -march=native depends on, from /proc/cpuinfo; and the processor's name for people.
std::string processor_features();
std::string processor_name();

}  // namespace harness::cpu
