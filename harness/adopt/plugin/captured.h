#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/kernel.h"

namespace harness::adopt {

/// A value that a recorded launch passed. `before`, `after`: files with the memory behind it, "" where it is no
/// address.
struct CapturedValue {
  std::vector<unsigned char> bytes;
  std::string before, after;
};

/// What a recorded launch says of a kernel whose shapes are known.
struct TakenLaunch {
  bool recorded = false;  // `folder` now holds what the launch read and wrote, for --reference
  std::string note;       // a sentence: what was taken, or why nothing was recorded
};

/// Gives the sizes and numbers of the kernel the launch's values, and writes NAME.npy and NAME.out.npy of its arrays
/// into `folder`. Values are the kernel's parameters in their order. Throws Error(bad_input) where they are not, and
/// for an array that is longer than the allocation behind its pointer.
TakenLaunch take_launch(AdoptedKernel& kernel, const std::vector<CapturedValue>& values, const std::string& folder);

}  // namespace harness::adopt
