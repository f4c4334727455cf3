#pragma once
#include "harness/cli/command.h"

namespace harness {

/// `harness` alone: which program this is, what is here, and the commands that make sense here. Nothing that is missing
/// or broken keeps it from saying the rest.
int print_status(Shell& shell);

}  // namespace harness
