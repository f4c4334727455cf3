#pragma once
#include <string>
#include <vector>

#include "harness/adopt/kernel/declared.h"
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/source/slice.h"

namespace harness::adopt {

/// A kernel with its launch, and what its text and the options say of its parameters: the second stage.
struct Launched {
  AdoptedKernel kernel;
  DeviceSource device;
  std::string name;                // of the plugin
  std::vector<std::string> notes;  // sentences
};

/// The kernel that was declared, with its launch and what its signature alone says. Throws Error(bad_input) with what
/// is missing or ambiguous.
AdoptedKernel choose_kernel(const Declared& declared);

/// The same with its device part, its `__constant__` variables and the options' answers.
Launched launch(const Declared& declared);

}  // namespace harness::adopt
