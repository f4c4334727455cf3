#pragma once
#include "harness/serve_mcp/answer.h"

// What an agent may know of an evaluation: pass or fail, and where a visible launch first went wrong. Seeds,
// tolerances, the gates' numbers and hidden inputs stay with the judge: whoever knew them could write for them.
namespace harness::mcp {

/// Of the object of `harness eval --json` (core/iteration_json.h): outcome, times, the gate that failed, resources.
Answer veiled_iteration(const json& iteration);

}  // namespace harness::mcp
