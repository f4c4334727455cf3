#pragma once
#include <string>

#include "harness/core/device.h"

namespace harness {

/// The cpu device of this machine. `compiler` is a path; "" looks for g++ in PATH. It is available where a compiler is.
DeviceInfo probe_cpu(const std::string& compiler = "");

namespace cpu {

/// One for each core that this process may use, at most 16: every thread keeps stacks for 1024 fibers, and the kernel
/// limits a process to 65530 mappings.
int default_threads();

/// The device with that many host threads, without looking for a compiler.
DeviceInfo describe(int threads);

}  // namespace cpu
}  // namespace harness
