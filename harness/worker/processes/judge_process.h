#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/core/outcome.h"
#include "harness/device/port/device_kind.h"
#include "harness/worker/processes/process.h"
#include "harness/worker/processes/shared_memory.h"

namespace harness {

/// One draw of the inputs, reproducible anywhere from this.
struct DrawId {
  std::uint64_t seed = 0;
  std::string form = "nominal";            // judge/draw.h
  std::optional<FreshSeeds> fresh;         // of what a device drew anew for a timed launch
  std::optional<std::uint64_t> constants;  // the seed of what fills `__constant__` variables, where it is another
};

/// What a mutant of the right answer met: the gate that caught it, "" if all gates let it pass.
struct MutantTrial {
  std::string name, output, caught_by, detail;
};

/// By output: how far a launch, and an impostor one precision lower, are from the reference.
struct MeasuredErrors {
  std::map<std::string, double> honest, impostor;
};

/// The trusted process: it draws inputs, paints images, computes the reference after the candidate ran, compares and
/// decides. A judge that is killed is replaced and asked again, for a draw is a function of its seed; the reference is
/// blamed only for what it does itself. It never holds a candidate's code, and a candidate's process never holds a
/// reference value.
class JudgeProcess {
 public:
  JudgeProcess(Target target, std::function<bool()> stop) : target_(std::move(target)), stop_(std::move(stop)) {}

  /// Artifacts of kernel-author code the judge runs: the reference, and custom generators or comparisons by source
  /// path.
  struct Trusted {
    Artifact reference;
    std::map<std::string, Artifact> custom;
  };

  /// Paints `image` with a draw, and remembers the last few of them until they are forgotten.
  void paint(const Executable& executable, const Trusted& trusted, const DrawId& draw, const SharedMemory& image);
  /// Judges the image that a candidate has changed since it was painted with `draw`.
  Verdict verdict(const Executable& executable, const Trusted& trusted, const DrawId& draw, const SharedMemory& image);
  /// The errors of a launch that is taken to be honest.
  /// `impostor`: measure that one as well (a second reference).
  MeasuredErrors measure_errors(bool impostor, const Executable& executable, const Trusted& trusted, const DrawId& draw,
                                const SharedMemory& image);
  /// Judges every mutant of every output on this draw, and the right answer itself as "the right answer".
  std::vector<MutantTrial> try_mutants(const Executable& executable, const Trusted& trusted, const DrawId& draw);
  /// What a contract's gates cannot tell, over a few draws from this one on. The executable needs no artifact.
  ContractReview review(const Executable& executable, const Trusted& trusted, const DrawId& draw);
  void forget();  // all draws
  /// That this Python program will be the reference: it is started, and nothing waits for it.
  void announce(const std::string& program);
  /// Seconds that the references of all verdicts so far took: a part of what gates cost that no gate can save.
  double reference_seconds() const { return reference_s_; }
  void start();
  void kill() { process_.reset(); }

 private:
  json ask(json body, const Executable& executable, const Trusted& trusted, const DrawId& draw,
           const SharedMemory* image);
  std::optional<json> try_ask(const json& body, const SharedMemory* image);
  void tell(const json& body);
  [[noreturn]] void refuse(const json& body, const json& reply);
  Target target_;
  std::function<bool()> stop_;
  std::optional<Process> process_;
  double reference_s_ = 0;
};

/// Thrown out of a JudgeProcess call when the supervisor was asked to stop.
struct InterruptedWork {};

/// The worker's side: serves on descriptor 3 until it is closed.
int serve_judge(const DeviceKinds& kinds);

void to_json(json& to, const DrawId& value);
void from_json(const json& from, DrawId& value);
void to_json(json& to, const MutantTrial& value);
void from_json(const json& from, MutantTrial& value);
void to_json(json& to, const JudgeProcess::Trusted& value);
void from_json(const json& from, JudgeProcess::Trusted& value);

}  // namespace harness
