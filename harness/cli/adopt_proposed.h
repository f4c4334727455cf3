#pragma once
#include <cstdint>
#include <string>

#include "harness/cli/command.h"

namespace harness {

/// Writes the files of a variant made of what an iteration ran: {"kernel","variant","files"}. Throws Error(bad_input).
json adopted_files(std::int64_t iteration, const std::string& name, Shell& shell);

/// `harness adopt --from ITERATION`: the proposed variant (or the edited source) that an iteration ran becomes two
/// files in its kernel's folder, variants/NN_NAME.lua and .cu, with its configuration as the start of a search. "" as
/// name: its label's words. Throws Error(bad_input) where the iteration ran what stands in the folder already.
int adopt_proposed(std::int64_t iteration, const std::string& name, bool as_json, Shell& shell);

}  // namespace harness
