#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/counting.h"
#include "harness/core/profiler.h"
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
      : workers_(workers), find_compiler_(std::move(find_compiler)) {}

  /// Throws as Profiler::profile does, and InterruptedWork.
  Profile count(const Realized& realized, const ProfileRequest& request);

 private:
  /// By entry, as the compiler of the GPU says; empty with a reason in `why`.
  std::map<std::string, EntryResources> machine_code(const BuildSpec& build, const std::string& architecture,
                                                     std::string& why);
  std::vector<CountedLaunch> run(Subject& subject, CountingRequest request);

  WorkerPool& workers_;
  FindOfflineCompiler find_compiler_;
  std::map<std::string, std::unique_ptr<Builders>> compilers_;  // by architecture
};

}  // namespace harness
