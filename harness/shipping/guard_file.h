#pragma once
#include <string>

#include "harness/service/shell.h"
#include "harness/shipping/guard_verdict.h"

namespace harness {

/// What `guard --file` is asked.
struct FileQuestion {
  std::string file, base;  // the adopted file as it is now; a revision of git
  std::string device = "auto", architecture;
  bool code_only = false;
};

/// Judges a change of an adopted file: both revisions of each kernel that was adopted from it pass the gates of its
/// contract and are timed in turns; with `code_only` both are compiled and registers, spills and machine code compared.
/// Throws ContractChanged where the kernel takes other parameters, Error(environment) without such a device.
GuardVerdict guard_file(Shell& shell, const FileQuestion& question);

}  // namespace harness
