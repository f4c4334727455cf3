#pragma once
#include <string>
#include <vector>

#include "harness/core/json.h"

namespace harness::tests {

/// What a finished program left: its exit status (128 + signal when killed) and what it printed.
struct Finished {
  int status = 0;
  std::string out, err;
  std::vector<json> lines() const;  // stdout as JSON lines
};

/// A temporary folder with a store path of its own; removed at the end. Tests never touch the project's store.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string db() const { return path("experiments.db"); }
  void write(const std::string& name, const std::string& text) const;

 private:
  std::string folder_;
};

/// The folder of built candidates that the test programs share (HARNESS_CACHE), or this program's own. For tests that
/// build to run something; tests of building have one of their own.
std::string build_cache();

/// Runs the harness program as a person would, from the project's folder, with `environment` added.
Finished run_harness(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});
/// Runs any program (words[0]) in a folder.
Finished run_program(const std::vector<std::string>& words, const std::string& folder,
                     const std::vector<std::string>& environment = {});
/// Starts harness and returns its process id, its own process group; stdout goes to `out`.
int start_harness(const std::vector<std::string>& arguments, const std::string& out);
int wait_for(int process);

}  // namespace harness::tests
