#pragma once
#include <string>
#include <vector>

#include "harness/system/reach.h"
#include "harness/system/resource_limits.h"

// Python as a reference needs it: an interpreter with NumPy and PyTorch, within the compilers' walls.
namespace harness {

/// Interpreters to try, the likeliest first: $HARNESS_PYTHON alone where it is set, else each `python3` of PATH, then
/// the system's. None need have PyTorch.
std::vector<std::string> python_interpreters();

/// What `python` may touch: its own folders, the system's, `readable`, and the one folder that it may write to.
Reach python_reach(const std::string& python, const std::vector<std::string>& readable, const std::string& writable);

/// Of a Python process: three quarters of this machine's memory beside what an interpreter maps, 16 GiB a file.
ResourceLimits python_limits();

/// NAME=VALUE, all that it is told of the environment.
std::vector<std::string> python_environment(const std::string& scratch);

/// The sentence for a machine where no interpreter has PyTorch.
std::string no_pytorch();

/// The text of what loads and computes a reference (python_reference.in), for whoever observes one.
const char* python_reference_text();

}  // namespace harness
