#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"

namespace harness::adopt {

/// A winner of an adopted kernel, as its own file must say it.
struct Winner {
  std::string file;                         // the adopted source
  std::string entry;                        // "ns::softmax"
  std::string original, source;             // device parts: as it was adopted, and of the winner
  std::map<std::string, std::int64_t> set;  // the winner's parameters
  std::map<std::string, std::int64_t> was;  // the original's, where it has them
  std::map<std::string, Value> sizes;       // of the workload
  Launch launch;                            // of the winner on that workload
  FormulaLaunch formulas;                   // the same in terms of the sizes
};

struct PatchedFile {
  std::string path, before, after;
};

/// The files that change. Parameters become values of macros, constants, template arguments and the host's variables;
/// the device part is changed where the winner's source differs from the original's; where the file's own `<<<>>>`
/// would then not launch what was measured, it is written anew. Throws Error(bad_input) with one sentence for what
/// cannot be said so.
std::vector<PatchedFile> patched(const Winner& winner);

}  // namespace harness::adopt
