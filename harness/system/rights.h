#pragma once

namespace harness {

/// Before foreign native code is loaded, since loading runs its constructors: from now on this process can read files
/// but write none, and has no network, no new processes, no ptrace, and bounded memory and output. Throws
/// Error(environment) if the kernel refuses.
void restrict_for_loading();

/// Before foreign code is run. Gives up, for ever and for every thread of this process, whatever native candidate code
/// must not have: files, network, new processes, ptrace, other processes' memory (seccomp, an allow-list), core dumps,
/// large output and unbounded memory (rlimits). A forbidden call ends the process with SIGSYS. Throws
/// Error(environment) if the kernel refuses.
void drop_rights();

}  // namespace harness
