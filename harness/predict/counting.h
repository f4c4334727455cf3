#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/admission.h"
#include "harness/core/counting.h"
#include "harness/core/gpu.h"
#include "harness/core/machine_code.h"
#include "harness/core/profiler.h"
#include "harness/predict/counted_profile.h"

namespace harness {

/// What the compiler of a GPU that is not here makes of a candidate.
struct GpuBuild {
  std::vector<EntryResources> entries;
  std::map<std::string, MachineCode> code;  // by entry; empty: nobody can read it
  std::string compiler;                     // "NVRTC 13.0"
  std::string missing;  // why nothing of this is known: a clause that goes on after "; "; "" where it is
};

/// A candidate that is to be counted: built for that, and with its inputs.
class CountedSubject {
 public:
  virtual ~CountedSubject() = default;
  /// Its plan may be changed before it runs.
  virtual Executable& executable() = 0;
  /// Its inputs are others from now on, of this form.
  virtual void draw_anew(const std::string& form) = 0;
  /// Runs it on the same inputs each time. Empty: it failed, and may have failed because `request` leaves out blocks
  /// that others wait for. Throws Error, and InterruptedWork.
  virtual std::vector<CountedLaunch> run(const CountingRequest& request) = 0;
  /// What is wrong with what the last run left, in which all blocks ran; "": nothing. Throws InterruptedWork.
  virtual std::string judge(const Admission* admission) = 0;
  /// "file:line" of places in its code, where that is known.
  virtual std::map<std::uint64_t, std::string> source_lines(const std::vector<std::uint64_t>& sites) = 0;
};

/// Port to what builds candidates and runs them where every access is seen. evaluate/counting_workers.h implements it.
class CountingWorkers {
 public:
  virtual ~CountingWorkers() = default;
  /// Begins the builds that the others will wait for. `plain`: also one without instrumentation, for blocks that run
  /// and are not counted. `urgent`: somebody waits already.
  virtual void announce(const Realized& realized, const std::string& architecture, bool plain, bool urgent) = 0;
  /// Throws Error(bad_input) if it does not compile, and InterruptedWork.
  virtual std::unique_ptr<CountedSubject> prepare(const Realized& realized, bool plain) = 0;
  /// Throws InterruptedWork.
  virtual GpuBuild build_for_gpu(const BuildSpec& build, const std::string& architecture) = 0;
  /// The next run has a process of its own: nothing that came before.
  virtual void start_afresh() = 0;
};

/// A count on other inputs and of other blocks, for which no candidate can be prepared.
struct SecondCount {
  double predicted_ns = 0;
  /// What is wrong with what the counted run left; no value: its blocks were too many to run all of them.
  std::optional<std::string> wrong;
  std::vector<std::string> forms;  // on which it was judged besides, and was right
};

/// Counts candidates on a device that sees every access (the cpu device), and predicts a GPU's time from that. The same
/// candidate has the same numbers on the same inputs and blocks; only what a GPU's compiler says needs one that has it.
class Counting {
 public:
  explicit Counting(std::unique_ptr<CountingWorkers> workers) : workers_(std::move(workers)) {}

  /// Begins the builds that count() of it will wait for, where no other build is waited for. `gpu`: as find_gpu().
  void announce(const Realized& realized, const std::string& gpu);
  /// Throws as Profiler::profile does, and InterruptedWork.
  Profile count(const Realized& realized, const ProfileRequest& request);
  /// The time that the last count of it in this process predicted. A count is the same each time, so another one must
  /// predict this to the digit.
  std::optional<double> predicted_before(const Realized& realized, const std::string& gpu) const;
  /// Counts it on other inputs and other blocks. All blocks run, and what they leave is judged, where that takes no
  /// more than about `seconds`, of which a plain launch takes `launch_s`; then on inputs of these forms, as many as
  /// there is time for. Throws as count().
  SecondCount count_elsewhere(const Realized& realized, const ProfileRequest& request, const Admission* admission,
                              const std::vector<std::string>& forms, double seconds, double launch_s);
  /// What is wrong with what a launch leaves whose blocks are counted, on the first of these forms that it is wrong on;
  /// "": nothing. Throws as count().
  std::string wrong_where_counted(const Realized& realized, const ProfileRequest& request, const Admission* admission,
                                  const std::vector<std::string>& forms);
  /// The next count has a process of its own: nothing that came before.
  void start_afresh() { workers_->start_afresh(); }

 private:
  CountedRun prepared(const Realized& realized, const GpuFacts& gpu, const GpuBuild& build, CountedSubject& subject);
  std::unique_ptr<CountedSubject> subject_of(const Realized& realized, const GpuFacts& gpu, GpuBuild& build);

  std::unique_ptr<CountingWorkers> workers_;
  std::map<std::string, double> predicted_;  // ns, by candidate, place and GPU
};

}  // namespace harness
