#pragma once
#include <string>
#include <vector>

namespace harness::cpu {

/// "g++ 12.2.0". Throws environment_error if the program does not answer as g++ does.
std::string compiler_version(const std::string& compiler);

/// Where the compiler's programs, libraries and headers are: all that its processes must reach beside a build's own.
std::vector<std::string> toolchain_folders(const std::string& compiler);

/// What -march=native depends on, from /proc/cpuinfo; and the processor's name for people.
std::string processor_features();
std::string processor_name();

}  // namespace harness::cpu
