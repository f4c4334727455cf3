#pragma once
#include <string>
#include <vector>

#include "harness/serve_mcp/answer.h"
#include "harness/serve_mcp/job_stop.h"

namespace harness {

/// Why these words are no options that an agent may give to `harness adopt`, a sentence; "" where they are. A reference
/// is not among them: it may be a program.
std::string unfit_adopt_options(const std::vector<std::string>& options);

/// Makes a kernel of the job's CUDA source: `harness adopt` as a process of its own, which asks nothing. null: it was
/// stopped.
mcp::Answer adopt_for_agent(const AgentJob& job, const JobStop& stop, Shell& shell);

}  // namespace harness
