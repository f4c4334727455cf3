#pragma once
#include <sys/resource.h>

namespace harness {

/// What a process and each that it starts may use (setrlimit). Core dumps are never written.
struct ResourceLimits {
  rlim_t cpu_s = RLIM_INFINITY;
  rlim_t memory_bytes = RLIM_INFINITY;  // of address space
  rlim_t file_bytes = RLIM_INFINITY;    // of each file it writes
  /// For this process, for ever. Async-signal-safe.
  void enter() const;
};

/// Lets this process open as many files as its hard limit allows. Throws environment_error if that is too few for an
/// evaluation: images, workers and their sockets each need one.
void require_descriptors();

/// Of address space that this process has mapped now.
rlim_t mapped_bytes();

/// This process, and what it starts, takes cores that nobody else wants.
void take_free_cores();

}  // namespace harness
