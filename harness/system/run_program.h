#pragma once
#include <string>
#include <vector>

#include "harness/core/bounded_log.h"
#include "harness/system/compile_limits.h"
#include "harness/system/confinement.h"
#include "harness/system/resource_limits.h"

namespace harness {

struct ProcessResult {
  int exit_status = -1;  // 128 + n after signal n
  bool timed_out = false;
  std::string output;  // standard output and error together, bounded (core/bounded_log.h)
};

/// What is run, and where its streams lead.
struct ProgramCall {
  std::vector<std::string> arguments;         // the first one is a path
  std::vector<std::string> environment = {};  // NAME=VALUE; empty: a small fixed one
  std::string input = {};                     // a file that it reads as its standard input; "": there is nothing
  std::string answer = {};                    // a file that takes its standard output; "": that is kept with its errors
};

/// Runs `arguments[0]` (a path) with no shell, an empty standard input, no other descriptors and a small fixed
/// environment, in "/", as the leader of a process group that is killed when it ends or after the deadline. `scratch`
/// is its TMPDIR; of its output the head and the tail of `output_bytes` are kept. Throws environment_error if no
/// process can be made or confined.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& scratch,
                          const CompileLimits& limits, const Confinement& confinement = {},
                          std::size_t output_bytes = BoundedLog::kLimit);

ProcessResult run_process(const ProgramCall& command, const std::string& scratch, const ResourceLimits& resources,
                          const CompileLimits& limits, const Confinement& confinement = {},
                          std::size_t output_bytes = BoundedLog::kLimit);

/// The first executable called `name` in PATH, then in `more_folders`; "" if there is none.
std::string find_program(const std::string& name, const std::vector<std::string>& more_folders = {});

}  // namespace harness
