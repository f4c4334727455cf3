#pragma once
#include "harness/service/shell.h"

namespace harness {

/// `harness campaigns --live`: a line for each campaign of the store that is under way, in this or another process.
int print_live(bool as_json, Shell& shell);

}  // namespace harness
