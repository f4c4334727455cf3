#pragma once
#include <string>
#include <vector>

#include "harness/service/shell.h"
#include "harness/shipping/guard_verdict.h"

namespace harness {

/// What `guard DIR` is asked.
struct PackageQuestion {
  std::string folder;   // the package that must not be fallen behind
  std::string against;  // another package in the place of the kernels that are here now; "": these
  std::string device = "auto";
  std::string key;         // file of the public key that must have signed the package; "": any, or none
  bool code_only = false;  // without a GPU: both are compiled, and registers, spills and machine code compared
};

struct PackageVerdict {
  GuardVerdict guard;
  std::size_t files = 0;  // of the package
  std::string digest;
  std::vector<std::string> table_changes;  // what was another when its tuned table was measured, sentences
};

/// Judges what stands now for each packaged winner: through all gates of its contract, timed in turns with the
/// winner, and once more in fresh processes where it was slower. Throws ContractChanged where the contract is another
/// than it was, Error(bad_input) for a package that does not fit, Error(environment) without such a device or compiler.
PackageVerdict guard_package(Shell& shell, const PackageQuestion& question);

}  // namespace harness
