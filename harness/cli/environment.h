#pragma once
#include <string>

namespace harness {

/// The environment variables that the program reads, a line each, as the end of `harness --help`.
std::string environment_help();

}  // namespace harness
