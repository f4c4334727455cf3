#pragma once
#include <string>
#include <vector>

#include "harness/system/reach.h"
#include "harness/system/resource_limits.h"

// Python programs of ours that run others' Python (references, builders) within the compilers' walls.
namespace harness {

/// Interpreters to try, the likeliest first: $HARNESS_PYTHON alone where it is set, else each `python3` of PATH, then
/// the system's. What modules they have, nobody knows.
std::vector<std::string> python_interpreters();

/// What a program may touch that needs the system's own programs and libraries: those, `readable`, and the one folder
/// that it may write to.
Reach system_reach(const std::vector<std::string>& readable, const std::string& writable);
/// What `python` may touch: its own folders, the system's, `readable`, and the one folder that it may write to.
Reach python_reach(const std::string& python, const std::vector<std::string>& readable, const std::string& writable);

/// Of a Python process: three quarters of this machine's memory beside what an interpreter maps, 16 GiB a file.
ResourceLimits python_limits();

/// NAME=VALUE, all that it is told of the environment.
std::vector<std::string> python_environment(const std::string& scratch);

}  // namespace harness
