#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/system/descriptor.h"
#include "harness/system/rights.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {

/// Native executables with the memory of the images that each may be run on.
struct NativeExecutables {
  std::vector<Executable> executables;
  std::vector<std::vector<Descriptor>> images;
  std::vector<bool> observed;  // Contender::observed
};

/// How one launch of a native candidate ended.
struct NativeLaunch {
  enum class End { done, fault, refused, memory, unsupported, environment, died, killed };  // killed: from outside
  End end = End::done;
  std::string detail;     // of whatever is not `done`: words of this program and of the candidate's constants only
  double elapsed_ns = 0;  // from the moment the plan may run until all threads of its process stand still
  std::optional<std::vector<RawFinding>> findings;
  std::optional<std::vector<CountedLaunch>> counts;
};

/// A process that has loaded native candidates and never called them. Each launch is a child of it, which is gone
/// afterwards: nothing survives that a candidate wrote, but in the image. This side runs no foreign code, holds the
/// clock, and believes a launch nothing but that it has stopped: a stopped process writes no more, so that no answer
/// can come after its time. Until then the launch's process cannot tell time or itself from any other launch's.
///
///   runner (clock) --- forks ---> loaded (no files, no clock) --- clones, as the runner's child ---> launch (no calls)
class LoadedProcess {
 public:
  /// Loads. `session` and `prepared` are copied by the fork. Throws LaunchRefused where a candidate cannot be loaded
  /// and Error(environment). This process must have no other threads.
  LoadedProcess(Session& session, const NativeExecutables& prepared, const Cage& cage);
  ~LoadedProcess();
  LoadedProcess(const LoadedProcess&) = delete;
  LoadedProcess& operator=(const LoadedProcess&) = delete;

  /// Runs a plan once. What it costs to begin and end a launch that does nothing is not in `elapsed_ns`: it was
  /// measured once, and is a few microseconds.
  NativeLaunch launch(std::size_t executable, std::size_t image);

 private:
  void begin();
  std::optional<pid_t> ask(int executable, int image);  // nothing: the loaded process is gone
  double measure_empty();
  NativeLaunch conclude(std::size_t executable, double elapsed_ns);
  void read_evidence(std::size_t executable, const std::string& text, NativeLaunch& launch) const;
  std::string words(std::size_t executable, const std::string& text) const;

  const NativeExecutables& prepared_;
  std::vector<std::string> objects_;  // what their files hold
  SharedMemory report_;
  Descriptor socket_;
  pid_t process_ = -1;
  std::size_t used_bytes_ = 0;  // of the report, by the last launch
  double empty_ns_ = 0;
  unsigned runs_ = 0;
};

}  // namespace harness
