#pragma once
#include <cstdint>
#include <string>

#include "harness/service/shell.h"

namespace harness {

/// Starts `harness mcp --job N` as a process that outlives this one. It has the device's lease while it works, and
/// nothing of what a client put into its environment that would be loaded into it.
void start_agent_job(std::int64_t job, const Shell& shell);

/// Does a job that agents asked for and records its answer; the exit status.
int do_agent_job(std::int64_t job, const std::string& program_hash, Shell& shell);

}  // namespace harness
