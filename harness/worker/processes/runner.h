#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/outcome.h"
#include "harness/device/port/device_kind.h"
#include "harness/device/port/torch_process.h"
#include "harness/worker/processes/process.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {

/// Why a runner did not do what it was asked: what device code did, or what happened to its process.
struct RunnerFailure {
  /// `outside`: its process was killed or stopped by what no candidate may do.
  enum class Kind { fault, refused, memory, unsupported, died, outside, timed_out, interrupted, environment };
  Kind kind = Kind::fault;
  std::string detail;
};
/// Its process was killed or stopped from outside, or by a machine that is out of memory: a candidate has no right to.
bool was_killed(const RunnerFailure& failure);
/// What a candidate may have done itself: a fault, the end of its process, time that ran out.
bool is_its_own(const RunnerFailure& failure);
/// The outcome a failure stands for. `stage`: launch or timing; `deadline_s`: for TimedOut.
Outcome to_outcome(const RunnerFailure& failure, const std::string& stage, double deadline_s);

/// An executable and the painted images it may be run on, and places for what timed calls leave (Session::time). The
/// memory stays the caller's.
struct Contender {
  const Executable* executable = nullptr;
  std::vector<const SharedMemory*> images, places;
  bool observed =
      false;  // its images are arenas that are mostly never touched (core/observation.h), and it is not timed
};

/// Where a launch finds its inputs: behind walls (Session::run_behind_walls), or in one block with all else, as timed
/// launches do. Native code always meets walls.
enum class Inputs { behind_walls, open };

/// A process that runs plans on a device. Its deadlines count core time where candidates are native code (Patience),
/// and time that passes on a GPU, which is this process's alone. It serves until a fault. Where its candidates are
/// native code it runs none of it itself: each launch has a process of its own (loaded_process.h), whose time this one
/// takes.
class Runner {
 public:
  Runner(Target target, std::function<bool()> stop);
  ~Runner();

  /// Starts the process if there is none and makes its session, so that a later prepare finds it warm.
  void start();
  /// Loads executables and maps images, for whose bytes there is time beside the deadline. Replaces what was prepared
  /// before.
  std::optional<RunnerFailure> prepare(const std::vector<Contender>& contenders, double deadline_s);
  /// Runs contender's plan once on its image. `findings`: what the instrumented build saw, also where the
  /// run failed; left empty by a candidate that was not built to be checked. `elapsed_ns`: of a launch that ended,
  /// transfers not counted; 0 where the device has no clock for it.
  std::optional<RunnerFailure> run(std::size_t contender, std::size_t image, double deadline_s,
                                   std::optional<std::vector<RawFinding>>* findings = nullptr,
                                   double* elapsed_ns = nullptr, Inputs inputs = Inputs::behind_walls);
  /// The same for an executable that asks for counting: what its launches counted. `counts` is left as it is where the
  /// launch failed; a device that cannot count is a failure, too.
  std::optional<RunnerFailure> count(std::size_t contender, std::size_t image, double deadline_s,
                                     std::vector<CountedLaunch>& counts);
  /// Device-timed, interleaved; never for native candidates. Samples in order of the contenders: Session::time.
  std::optional<RunnerFailure> time(const TimingPolicy& policy, double deadline_s, std::vector<Samples>& samples);
  /// What the device reaches with kernels that do nothing else; not of a native one. Replaces nothing that was
  /// prepared.
  std::optional<RunnerFailure> measure_peaks(double deadline_s, MeasuredPeaks& peaks);
  std::optional<RunnerFailure> calibrate(double deadline_s, CardCalibration& calibration);
  /// Starts what calls PyTorch (core/torch_call.h) and waits for nothing. It runs no candidate's code, so it outlives
  /// the processes that do.
  void announce_torch();
  void kill() { process_.reset(); }
  /// A process that no candidate was in: another one is started unless this one is such.
  void renew();
  bool alive() const { return process_.has_value(); }
  /// Of its process, where there is one.
  std::optional<pid_t> process_id() const { return process_ ? std::optional(process_->id()) : std::nullopt; }

 private:
  RunnerFailure no_answer();
  /// Asks for one value; a reply without it, or with another kind of value, is that of a dead runner.
  template <typename T>
  std::optional<RunnerFailure> ask_for(const json& body, double deadline_s, const char* key, T& answer);
  Patience patience(double deadline_s) const;
  RunnerFailure ended(Answer answer);
  std::optional<RunnerFailure> ask(const json& body, const std::vector<int>& descriptors, double deadline_s,
                                   Message& reply);
  Target target_;
  std::function<bool()> stop_;
  std::optional<RunnerFailure> offer_torch(json& body);
  std::optional<Process> process_;
  bool met_a_candidate_ = false;  // the process
  std::unique_ptr<TorchProcess> torch_;
};

/// The worker's side: serves on descriptor 3 until it is closed.
int serve_runner(const DeviceKinds& kinds);

}  // namespace harness
