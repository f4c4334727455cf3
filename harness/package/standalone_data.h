#pragma once
#include <string>

#include "harness/core/catalog.h"

namespace harness::package {

/// Lines of a standalone program's main().
struct ProgramData {
  std::string memory;   // inputs drawn and carried to the device; outputs and workspaces of both sides
  std::string compare;  // each output of the winner beside the original's
};

/// Both sides solve the same problem. Throws Error(bad_input) for inputs that only the kernel's own generator makes and
/// for types that standalone_values.cu does not have.
ProgramData standalone_data(const Realized& original, const Realized& winner);

}  // namespace harness::package
