#pragma once
#include <functional>
#include <string>

#include "harness/system/compile_limits.h"
#include "harness/system/confinement.h"

namespace harness {

/// What became of work in a child.
struct ChildAnswer {
  bool answered = false;   // `text` is what the work returned
  bool timed_out = false;  // it was killed at the deadline
  int signal = 0;          // that ended it
  std::string text;        // the answer; otherwise the last of what it wrote to its standard output and error
};

/// Does `work` in a forked child, which has no descriptors but its own output, and is confined before it begins.
/// Throws environment_error if there is no child, if it cannot be confined, or with what Error the work itself threw.
ChildAnswer run_in_child(const std::function<std::string()>& work, const CompileLimits& limits,
                         const Confinement& confinement = {});

}  // namespace harness
