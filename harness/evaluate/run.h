#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/evaluate/limits.h"
#include "harness/evaluate/statistics.h"
#include "harness/worker/builders.h"
#include "harness/worker/judge.h"
#include "harness/worker/runner.h"

namespace harness {

/// What all evaluations of one evaluator share.
struct RunSettings {
  Target target;
  DeviceInfo device;
  Limits limits;
  std::function<bool()> stop;
};

/// One evaluation, step by step: build, static gates, a judged launch, timing beside the incumbent, a judged launch
/// with a fresh draw. Each step either goes on or settles the outcome.
class EvaluationRun {
 public:
  EvaluationRun(const EvaluationRequest& request, RunSettings settings, Builders& builders, Judge& judge,
                Runner& runner);
  Evaluation finish();

 private:
  /// A built executable with its painted images; `pristine` copies restore them between timed runs on cpu.
  struct Side {
    Executable executable;
    Judge::Trusted trusted;
    std::vector<SharedMemory> images;
    std::vector<std::byte> pristine;
    std::uint64_t seed = 0;
  };
  using Settled = std::optional<Outcome>;

  Settled build();
  Settled gate_statically();
  Settled gate_launch(const std::string& suffix);
  Settled measure(Outcome& passed);
  Settled measure_on_device(Side* incumbent, const TimingPolicy& policy, std::vector<Samples>& samples);
  Settled measure_by_turns(Side* incumbent, const TimingPolicy& policy, std::vector<Samples>& samples);
  std::optional<Side> incumbent_side();
  Outcome steps();
  Timing describe(const std::vector<Samples>& samples) const;
  BuildResult await(const BuildSpec& spec);
  Judge::Trusted build_trusted(const Realized& realized);
  Side make_side(const Realized& realized, const Artifact& artifact);
  void paint(Side& side, std::size_t image, bool keep);
  double deadline() const;

  const EvaluationRequest& request_;
  RunSettings settings_;
  Builders& builders_;
  Judge& judge_;
  Runner& runner_;
  Evaluation evaluation_;
  Artifact artifact_;
  double launch_s_ = 0;  // of the judged launch, transfers included
  Side side_;
};

}  // namespace harness
