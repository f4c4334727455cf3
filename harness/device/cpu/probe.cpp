#include "harness/device/cpu/probe.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "harness/core/error.h"
#include "harness/device/cpu/compile/machine.h"
#include "harness/device/cpu/compile/toolchain.h"
#include "harness/device/cpu/guest/harness_cpu/abi.h"
#include "harness/system/run_program.h"

namespace harness {

namespace cpu {

/// Counted up when the emulation computes other numbers than before: what the gates of a kernel were measured to
/// tolerate holds for one of these.
constexpr int kEmulationVersion = 1;

int default_threads() {
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 16);
}

DeviceInfo describe(int threads) {
  DeviceInfo info;
  info.device = "cpu";
  info.name = processor_name();
  info.available = true;
  info.emulation = true;
  info.native = true;
  info.architecture = kArchitecture;
  info.admission_key = fmt::format("cpu emulation {}", kEmulationVersion);
  info.multiprocessors = threads;
  info.max_shared_bytes = HARNESS_CPU_MAX_SHARED;
  info.memory_bytes = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  info.l2_bytes = std::max<std::int64_t>(0, sysconf(_SC_LEVEL2_CACHE_SIZE));
  return info;
}

}  // namespace cpu

DeviceInfo probe_cpu(const std::string& compiler) {
  DeviceInfo info = cpu::describe(cpu::default_threads());
  try {
    info.compiler = cpu::compiler_version(compiler.empty() ? cpu::find_compiler() : compiler);
  } catch (const Error& error) {
    info.available = false;
    info.missing.push_back(error.what());
  }
  return info;
}

}  // namespace harness
