#pragma once
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/core/machine_code.h"

// Machine code of sm_70 to sm_90, as far as it is needed without a disassembler. NVIDIA does not document its encoding.
// Source: the encoder of Mesa's compiler for these GPUs (src/nouveau/compiler/nak/sm70_encode.rs): an instruction has
// 128 bits; 0 to 11 are the operation (of arithmetic, 9 to 11 say where operands come from), 12 to 15 the predicate,
// 73 to 75 are how much an access moves, or the type of an atomic operation, 105 to 108 the cycles until the next
// instruction may be issued, 110 to 112 the scoreboard that is held until the result has come, 116 to 121 those that
// the instruction waits for. What is new in sm_90 (HGMMA with its columns and groups, stmatrix, bulk copies, VIADD, the
// eight low bits of a branch's offset) was found in code that NVRTC 13.0 makes of kernels that use it.
namespace harness::cuda {

struct SassInstruction {
  InstructionClass kind = InstructionClass::integer;
  std::optional<SiteKind> site, second_site;  // an asynchronous copy is two: a load and a store to shared memory
  bool loads = false;                         // from global memory into registers
  bool stores = false;                        // to global memory
  bool answered = false, by_lane = false;     // of an atomic operation, as CodeSite has them
  int bytes = 0;                              // of a lane, that it moves from or to global memory; 0: it does not
  int cycles = 1;                             // until the next one may be issued
  int busy = 1;                               // cycles that the unit of a quarter of a multiprocessor is busy with it
  unsigned waits_for = 0;                     // scoreboards, a bit each
  std::optional<int> holds;                   // the scoreboard that is free when its result has come
  bool asynchronous = false;                  // HGMMA: the warp goes on meanwhile
  bool ends_group = false;                    // the last one of those that are waited for together
  std::optional<int> groups_left;             // it waits until no more of these groups are under way
  bool ends = false;                          // the thread, or the function, ends here
  bool conditional = false;                   // a branch or an end that not every thread takes
  std::optional<std::int64_t> target;         // of a branch: the number of an instruction, maybe outside
};

/// A function's instructions; bytes that make no whole instruction are left out.
std::vector<SassInstruction> decode_sass(std::string_view code);

}  // namespace harness::cuda
