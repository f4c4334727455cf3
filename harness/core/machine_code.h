#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace harness {

/// What an instruction of a warp asks of a multiprocessor.
enum class InstructionClass : std::size_t {
  memory,    // global and local memory, atomics on it
  shared,    // shared memory, also by matrix loads
  tensor,    // tensor cores
  floating,  // adds, multiplies, comparisons, conversions of pairs
  special,   // ex2, rcp, and conversions of single values: an eighth of the rate
  integer,   // with moves, logic and what is done once a warp
  exchange,  // shuffles, votes
  control,   // branches, barriers, waits
  count
};
inline constexpr std::size_t kInstructionClasses = static_cast<std::size_t>(InstructionClass::count);
inline constexpr std::array<std::string_view, kInstructionClasses> kInstructionClassNames = {
    "memory", "shared", "tensor", "floating", "special", "integer", "exchange", "control"};

/// What an emulation counts, too: by it one learns how often a block of machine code runs.
enum class SiteKind { global, shared, atomic, barrier, tensor };

struct CodePlace {
  std::string file;  // without folders
  int line = 0;
  bool operator==(const CodePlace&) const = default;
};

/// One such instruction, and where it comes from: the innermost place first, then where that was inlined.
struct CodeSite {
  SiteKind kind{};
  std::vector<CodePlace> places;
  bool stores = false;    // to global memory
  bool always = false;    // each warp that runs the block makes it: no predicate keeps some from it
  bool answered = false;  // of an atomic operation: somebody wants what was there before
  bool by_lane = false;   // of an atomic operation: lanes on one address take turns; those of integers are put together
  int bytes = 0;          // of a lane, in global memory; 0: unknown
};

/// Instructions that run one after another.
struct CodeBlock {
  std::array<std::int64_t, kInstructionClasses> instructions{};
  std::int64_t waits = 0;   // for loads of global memory: those that are under way together are one
  std::int64_t cycles = 0;  // between the first and what follows the last, for one warp alone, without these waits
  std::int64_t tensor_cycles = 0;  // that tensor cores are busy, each with one warp
  std::vector<std::size_t> next;   // blocks that may follow
  bool ends = false;               // the kernel may end behind it
  std::vector<CodeSite> sites;
};

/// A kernel's machine code; it begins at the first block. Empty: unknown.
using MachineCode = std::vector<CodeBlock>;

}  // namespace harness
