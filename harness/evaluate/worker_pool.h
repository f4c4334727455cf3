#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/evaluate/limits.h"
#include "harness/system/awake_clock.h"
#include "harness/worker/processes/builders.h"
#include "harness/worker/processes/device_lock.h"
#include "harness/worker/processes/judge_process.h"
#include "harness/worker/processes/runner.h"

namespace harness {

std::uint64_t fresh_seed();  // from the operating system; fits a signed 64-bit column

/// Adds the seconds between its birth and its end to a stage.
class Charge {
 public:
  explicit Charge(double& stage) : stage_(stage), begin_(awake_seconds()) {}
  ~Charge() { stage_ += awake_seconds() - begin_; }

 private:
  double& stage_;
  double begin_;
};

/// A candidate under test: its executable, what judges it, and its images. `draws[i]` is what images[i] was last
/// painted with.
struct Subject {
  Executable executable;
  JudgeProcess::Trusted trusted;
  std::vector<SharedMemory> images;
  std::vector<DrawId> draws;

  const Problem& problem() const { return executable.problem; }
  std::size_t image_bytes() const { return static_cast<std::size_t>(executable.layout.bytes); }
};

/// The workers of one device and what every use of them needs: building, painting and judging in plain calls.
struct WorkerPool {
  const DeviceKind& kind;
  Target target;
  DeviceInfo device;
  Limits limits;
  std::function<bool()> stop;
  Builders& builders;
  JudgeProcess& judge;
  Runner& runner;
  DeviceLock* lock = nullptr;
  DeviceLock::OnWait on_wait;
  MemoryPool images = MemoryPool();
  std::unique_ptr<Runner> second;  // made when something native is first timed beside something else

  /// For what is timed beside a native candidate: it keeps its process as `runner` does. No foreign code runs in
  /// either (loaded_process.h), so candidates follow each other there.
  Runner& runner_beside();
  /// The device for this process alone; waiting longer than a moment is told. Throws InterruptedWork.
  std::optional<DeviceLock::Hold> hold_device();
  bool native() const { return target.native; }
  BuildResult await(const BuildSpec& spec);
  /// Begins what build_trusted will wait for.
  void announce_trusted(const Realized& realized);
  /// The reference and custom code of a kernel. Throws Error(bad_input) if it does not compile.
  JudgeProcess::Trusted build_trusted(const Realized& realized);
  /// `admission`: whose tolerances the subject is judged by in the nominal form; may be null.
  Subject make_subject(const Realized& realized, const Artifact& artifact, const Admission* admission);
  /// Memory for an image, to be painted: it holds anything. Native code, whose processes may outlive a launch, never
  /// shares memory with what comes later.
  SharedMemory make_image(std::size_t bytes) { return native() ? SharedMemory(bytes) : images.take(bytes); }
  /// Draws anew into images[image] and remembers the draw, also in the judge.
  void paint(Subject& subject, std::size_t image, const std::string& form = "nominal");
  void repaint(Subject& subject, std::size_t image);  // the same draw again
};

/// The problem with the tolerances that an admission measured for its group in this form; as it is without one.
Problem with_tolerances(Problem problem, const Admission* admission, const std::string& form);

}  // namespace harness
