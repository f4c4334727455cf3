#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"

namespace harness::adopt {

struct MeasuredLaunch {
  Launch launch;           // on the winner's workload
  FormulaLaunch formulas;  // the same in terms of the sizes
};
/// Memory that the host's function makes for what one launch leaves to another: bytes on that workload.
struct MeasuredScratch {
  std::string name;
  std::int64_t winner = 0, original = 0;
};

/// A winner of an adopted kernel, as its own file must say it.
struct Winner {
  std::string file;                         // the adopted source
  std::string entry;                        // "ns::softmax", or the host's function that launches several kernels
  std::string original, source;             // device parts: as it was adopted, and of the winner
  std::map<std::string, std::int64_t> set;  // the winner's parameters
  std::map<std::string, std::int64_t> was;  // the original's, where it has them
  std::map<std::string, Value> sizes;       // of the workload
  std::vector<MeasuredLaunch> launches;     // of the winner, in their order
  std::vector<MeasuredScratch> scratch;
  std::vector<Launch> originals;     // launches of the original on that workload
  std::vector<std::string> defines;  // that the file was read with
};

struct PatchedFile {
  std::string path, before, after;
};

/// The files that change. Parameters become values of macros, constants, template arguments and the host's variables;
/// the device part is changed where the winner's source differs from the original's; where a `<<<>>>` of the file would
/// then not launch what was measured, it is written anew. A function of several launches keeps what it does around
/// them: its scratch must then be as large as the winner needs. Throws Error(bad_input) with one sentence for what
/// cannot be said so.
std::vector<PatchedFile> patched(const Winner& winner);

}  // namespace harness::adopt
