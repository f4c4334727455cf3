#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/counting.h"
#include "harness/core/profiler.h"
#include "harness/evaluate/counted_profile.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// A kind of device that compiles without one, and how its builders are told.
struct OfflineCompiler {
  const DeviceKind* kind = nullptr;
  Target target;
};
/// For an architecture; nothing: it is missing here.
using FindOfflineCompiler = std::function<std::optional<OfflineCompiler>(const std::string& architecture)>;

/// Counts candidates on a device that sees every access (the cpu device). The same candidate has the same numbers on
/// every machine; only what a GPU's compiler says needs one that has it.
class Counting {
 public:
  /// `workers` outlives it.
  Counting(WorkerPool& workers, FindOfflineCompiler find_compiler)
      : workers_(workers), find_compiler_(std::move(find_compiler)), runner_(workers.target, workers.stop) {}

  /// Begins the builds that count() of it will wait for, where no other build is waited for.
  void announce(const Realized& realized, const std::string& gpu);
  /// Throws as Profiler::profile does, and InterruptedWork.
  Profile count(const Realized& realized, const ProfileRequest& request);
  /// The time that the last count of it in this process predicted. A count is the same each time, so another one must
  /// predict this to the digit.
  std::optional<double> predicted_before(const Realized& realized, const std::string& gpu) const;
  /// The next count has a process of its own: nothing that came before.
  void start_afresh() { runner_.kill(); }

 private:
  /// The compiler of one of the GPUs' architectures.
  struct Offline {
    const DeviceKind* kind = nullptr;
    std::unique_ptr<Builders> builders;  // null: there is none here
  };

  /// What the compiler of the GPU says of the entries, and their code; nothing, with a reason in `why`.
  void compile_for_gpu(const BuildSpec& build, const std::string& architecture, CountedRun& run, std::string& why);
  Offline& offline_for(const std::string& architecture);
  std::vector<CountedLaunch> run(Subject& subject, CountingRequest request);

  WorkerPool& workers_;
  FindOfflineCompiler find_compiler_;
  Runner runner_;                             // the pool's holds what is being judged
  std::map<std::string, Offline> compilers_;  // by architecture
  std::map<std::string, double> predicted_;   // ns, by candidate, place and GPU
};

}  // namespace harness
