#pragma once
#include <string>
#include <vector>

#include "harness/cli/command.h"
#include "harness/core/json.h"
#include "harness/package/folder/ci_report.h"

namespace harness {

/// What `guard --file` is asked.
struct FileQuestion {
  std::string file, base;  // the adopted file as it is now; a revision of git
  std::string device = "auto", architecture = "sm_90a";
  bool code_only = false;
};

/// What came of it.
struct FileVerdict {
  std::string kernels, device;  // names, with commas between them
  std::vector<package::GuardLine> lines;
  json workloads = json::array();
  std::size_t gates = 0, failed_gates = 0;
  bool interrupted = false;
};

/// Judges a change of an adopted file: both revisions of each kernel that was adopted from it pass the gates of its
/// contract and are timed in turns; with `code_only` both are compiled and registers, spills and machine code compared.
/// Throws ContractChanged where the kernel takes other parameters, Error(environment) without such a device.
FileVerdict guard_file(Shell& shell, const FileQuestion& question);

}  // namespace harness
