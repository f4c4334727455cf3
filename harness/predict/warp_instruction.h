#pragma once
#include <cstdint>
#include <optional>

#include "harness/core/machine_code.h"

namespace harness {

/// One machine instruction of a warp, as far as a prediction wants to know it. A kind of device that can read machine
/// code decodes it into these (device/cuda/compile/sass.h).
struct WarpInstruction {
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

}  // namespace harness
