#pragma once
#include <cstdint>
#include <string>

#include "harness/service/shell.h"

namespace harness {

/// The proposed variant (or the edited source) that an iteration ran becomes two files in its kernel's folder,
/// variants/NN_NAME.lua and .cu, with its configuration as the start of a search: {"kernel","variant","files"}. "" as
/// name: its label's words. Throws Error(bad_input) where the iteration ran what stands in the folder already.
json adopted_files(std::int64_t iteration, const std::string& name, Shell& shell);

}  // namespace harness
