#pragma once
#include <cstddef>
#include <functional>
#include <vector>

#include "harness/core/machine_code.h"
#include "harness/predict/warp_instruction.h"

namespace harness {

/// Where an instruction, by its number, comes from: the innermost place first, then where that was inlined.
using PlacesOfInstruction = std::function<std::vector<CodePlace>(std::size_t instruction)>;

/// A function's instructions, of which there is at least one, in basic blocks: what each holds, and what one warp alone
/// takes for it (warp_walk.h).
MachineCode code_blocks(const std::vector<WarpInstruction>& code, const PlacesOfInstruction& places_of);

}  // namespace harness
