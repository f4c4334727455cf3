#pragma once
#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "harness/core/counting.h"
#include "harness/core/machine_code.h"

// A GPU's machine code says what one pass through each block costs; the cpu device, which runs other code of the same
// source, says how often each line's requests were made. Together: what a GPU would issue.
namespace harness {

/// Counts of a launch by file (without folders) and line of the kernel's own source.
using CountsByLine = std::map<std::pair<std::string, int>, Counts>;

/// Of all warps of a launch together.
struct ExecutedCode {
  std::array<double, kInstructionClasses> instructions{};
  double waits = 0;          // for loads of global memory: those of one block are under way together
  double cycles = 0;         // that the warps take if each runs alone, one after another, and no load is waited for
  double tensor_cycles = 0;  // that the tensor cores are busy, each with one warp
  double all() const;
  ExecutedCode& operator+=(const ExecutedCode& other);
};

/// Blocks outside of loops run once a warp. A loop's blocks run as often as the counted requests of the lines in it
/// say: the middle one of what they say, where a line that has several copies (of an unrolled loop and of what is left
/// of it) is taken to run mostly in the larger one. A loop that makes no request runs once each time its surroundings
/// do. `own_files`: of the kernel, as an inlined line of a header is counted where it was called. Nothing: no request
/// of any loop was found again, so that nobody knows how often they run.
///
/// `counts` and `warps` may be those of one role. `of_all` are the counts of all: a block with a request that others
/// made and these warps did not is none of theirs, nor is one that only leads there, or is only reached from there.
std::optional<ExecutedCode> executed_code(const MachineCode& code, const CountsByLine& counts,
                                          const std::set<std::string>& own_files, double warps,
                                          const CountsByLine& of_all);

/// What the compiler made of a line's loads of global memory, or of its stores.
struct CompiledAccess {
  int instructions = 0;  // in the code
  int bytes = 0;         // of a lane, by each of them; 0: by some more than by others
  bool in_loop = false;  // one may run more than once a warp
};
struct CompiledLine {
  CompiledAccess loads, stores;
};
/// By file and line of the kernel's own source, as CountsByLine.
using CompiledLines = std::map<std::pair<std::string, int>, CompiledLine>;
CompiledLines compiled_lines(const MachineCode& code, const std::set<std::string>& own_files);

/// What it made of a line's atomic operations on global memory.
struct CompiledAtomics {
  bool answered = false;  // one of them tells what was there before
  bool by_lane = false;   // of one of them lanes on one address take turns
};
std::map<std::pair<std::string, int>, CompiledAtomics> compiled_atomics(const MachineCode& code,
                                                                        const std::set<std::string>& own_files);

}  // namespace harness
