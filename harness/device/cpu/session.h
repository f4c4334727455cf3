#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/device.h"

namespace harness {

namespace cpu {
class Checker;
class ClusterShape;
class Counter;
class LaunchState;
class Module;
class Workers;
struct SharedMemory;
}  // namespace cpu

/// Runs candidates that CpuCompiler built, in this process: they are native code and can do whatever it can, so a
/// session for foreign candidates belongs in a process of its own without rights. Their signals (SIGSEGV on a stray
/// access or a stack overflow, SIGFPE on an integer division by zero) end that process; the session catches none.
///
/// A DeviceFault's text begins with "assertion:", "trap:", "barrier_deadlock:" or "illegal_access:". After one, and
/// after any other exception, the session stays usable; __device__ variables keep what the candidate left in them.
class CpuSession : public Session {
 public:
  /// Threads are made by the first run, or by `warm_up`. 0: one for each core, at most 16.
  explicit CpuSession(int threads = 0);
  ~CpuSession() override;

  /// Maps the candidate; none of its code runs, and no thread is made. Throws LaunchRefused if it does not load.
  void preload(const Artifact& artifact) override;
  /// Makes the threads that a run needs (a cluster has a thread a block), their stacks and shared memory, so that
  /// rights can be dropped and a clock started afterwards.
  void start_threads(const Executable& executable) override { make_threads(executable.plan); }
  void warm_up(const Executable& executable) override;
  void set_run(unsigned run) override { runs_ = run; }
  /// Throws Error(environment) where the system refuses.
  void close_inputs(const Executable& executable, std::span<std::byte> image) override;
  /// Kernels work on `image` where it lies. A cooperative launch needs a host thread for each of its blocks. Clusters
  /// run one after the other, each as described in cluster.h.
  /// A candidate built with BuildSpec::checked runs under the memory checker: one host thread at a time in a fixed
  /// order, and a DeviceFault ends it before the first access that would leave the image and its own memory.
  /// With Executable::counting such a candidate is counted instead (count/counter.h), and not every block may run.
  void run(const Executable& executable, std::span<std::byte> image) override;
  std::optional<std::vector<RawFinding>> take_findings() override;
  std::optional<std::vector<CountedLaunch>> take_counts() override;
  CardCalibration calibrate() override;

 private:
  void make_threads(const Plan& plan);
  cpu::Module& module_of(const Artifact& artifact);
  cpu::Module* plain_of(const Executable& executable);
  void fill_constants(const Executable& executable, std::span<const std::byte> image, const cpu::Module& module);
  void check_constants() const;
  void run_steps(const Executable& executable, std::span<std::byte> image, cpu::Module& module);
  void launch(const Launch& launch, std::size_t step, cpu::Module& module, const Executable& executable,
              std::span<std::byte> image);
  Launch resolved(const Launch& launch) const;
  void launch_blocks(cpu::LaunchState& state, int workers);
  void launch_clusters(cpu::LaunchState& state, cpu::Module& module);
  /// `memories`: shared memory of the host threads.
  void run_cluster(cpu::LaunchState& state, const cpu::ClusterShape& shape, std::uint64_t number,
                   const std::vector<cpu::SharedMemory>& memories);

  int threads_;  // that run blocks which are in no cluster
  std::unique_ptr<cpu::Workers> workers_;
  /// A `__constant__` variable of the run, and what it was filled with.
  struct FilledConstant {
    std::string symbol;
    std::span<const std::byte> memory;
    std::vector<std::byte> bytes;
  };
  std::vector<FilledConstant> constants_;
  unsigned runs_ = 0;
  std::map<std::string, std::unique_ptr<cpu::Module>> modules_;  // by path
  std::unique_ptr<cpu::Checker> checker_;                        // of the last run, if that was checked
  std::unique_ptr<cpu::Counter> counter_;                        // of the last run, if that was counted
};

}  // namespace harness
