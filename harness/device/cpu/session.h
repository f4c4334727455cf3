#pragma once
#include <map>
#include <memory>
#include <string>

#include "harness/core/device.h"

namespace harness {

namespace cpu {
class Module;
class Workers;
}  // namespace cpu

/// Runs candidates that CpuCompiler built, in this process: they are native code and can do whatever it can, so a
/// session for foreign candidates belongs in a process of its own without rights. Their signals (SIGSEGV on a stray
/// access or a stack overflow, SIGFPE on an integer division by zero) end that process; the session catches none.
///
/// A DeviceFault's text begins with "assertion:", "trap:", "barrier_deadlock:" or "illegal_access:". After one, and
/// after any other exception, the session stays usable; __device__ variables keep what the candidate left in them.
class CpuSession : public Session {
 public:
  /// All threads are made here, so that rights can be dropped afterwards. 0: one for each core, at most 16.
  explicit CpuSession(int threads = 0);
  ~CpuSession() override;

  DeviceInfo info() override;
  /// Loads the candidate and allocates its shared memory on every thread. Throws LaunchRefused if it does not load.
  void preload(const Artifact& artifact);
  /// Kernels work on `image` where it lies. A cooperative launch needs a host thread for each of its blocks.
  void run(const Executable& executable, std::span<std::byte> image) override;

 private:
  void launch(const Launch& launch, cpu::Module& module, const Executable& executable, std::span<std::byte> image);

  std::unique_ptr<cpu::Workers> workers_;
  std::map<std::string, std::unique_ptr<cpu::Module>> modules_;  // by path
};

}  // namespace harness
