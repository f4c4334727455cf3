#pragma once

namespace harness {

/// Gives up, for ever and for every thread of this process, whatever native candidate code must not have: files, network,
/// new processes, ptrace, other processes' memory (seccomp, an allow-list), core dumps, large output and unbounded memory
/// (rlimits). A forbidden call ends the process with SIGSYS. Throws Error(environment) if the kernel refuses.
void drop_rights();

}  // namespace harness
