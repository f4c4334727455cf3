#pragma once
#include <string>
#include <vector>

namespace harness::cpu {

struct ProcessResult {
  int exit_status = -1;  // 128 + n after signal n
  bool timed_out = false;
  std::string output;  // standard output and error together, at most 1 MB of it
};

/// Runs `arguments[0]` (a path) with no shell, an empty standard input and a small fixed environment, as the leader of
/// a process group that is killed when it ends or after `limit_s` seconds. `scratch` is its TMPDIR. Its memory is
/// limited to `memory_bytes`. Throws environment_error if no process can be made.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::string& scratch, double limit_s,
                          long long memory_bytes);

/// The first executable called `name` in PATH; "" if there is none.
std::string find_program(const std::string& name);

}  // namespace harness::cpu
