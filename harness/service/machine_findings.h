#pragma once
#include <string>
#include <vector>

#include "harness/service/shell.h"

namespace harness {

enum class Health { well, missing, wrong };

/// One thing that this machine has or lacks.
struct MachineFinding {
  std::string what;
  Health health = Health::well;
  std::string found;
  std::string unchecked = {};  // what cannot be done or known because of it
  std::string mend = {};       // a command
};

/// What is here, what is missing and what mends it: store, plugins, devices, compilers, walls, counters, the machine.
/// `verify`: the store is read page by page.
std::vector<MachineFinding> machine_findings(Shell& shell, bool verify);

}  // namespace harness
