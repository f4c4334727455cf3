#pragma once
#include "harness/core/counting.h"
#include "harness/predict/executed_code.h"

// The cpu device counts the loads and stores that the source asks for. NVRTC leaves some out, moves some in front of a
// loop, and makes some narrower or wider. Its machine code for the GPU tells.
namespace harness {

/// By how much the requests of a line are to be multiplied.
struct CompiledShare {
  double requests = 1;
  double bytes = 1;  // what they ask for together
};
struct CompiledShares {
  CompiledShare loads, stores;
};

/// What became of each line's requests of global memory:
/// - Instructions that are all narrower or wider than what the line asks for: as many more or fewer. Each part of an
///   access touches the sectors that the whole touches.
/// - Instructions none of which lies in a loop: no more requests than instructions times warps.
/// - No instruction: the value was known, or nobody wants it. So it is said only where each instruction of the code is
///   of a line that makes such requests: else the table of lines has put it elsewhere.
std::map<std::pair<std::string, int>, CompiledShares> compiled_shares(const CountsByLine& counts,
                                                                      const CompiledLines& code, double warps);

/// The counts of a place, as they are after that.
Counts as_compiled(const Counts& counts, const CompiledShares& shares);

}  // namespace harness
