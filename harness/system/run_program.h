#pragma once
#include <string>
#include <vector>

#include "harness/system/confinement.h"

namespace harness {

struct ProcessResult {
  int exit_status = -1;  // 128 + n after signal n
  bool timed_out = false;
  std::string output;  // standard output and error together, bounded (core/bounded_log.h)
};

/// Runs `arguments[0]` (a path) with no shell, an empty standard input, no other descriptors and a small fixed
/// environment, in "/", as the leader of a process group that is killed when it ends or after the deadline. `scratch`
/// is its TMPDIR. `enter` confines it before it starts. Throws environment_error if no process can be made or confined.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& scratch,
                          const CompileLimits& limits, const EnterConfinement& enter = {});

/// The first executable called `name` in PATH; "" if there is none.
std::string find_program(const std::string& name);

}  // namespace harness
