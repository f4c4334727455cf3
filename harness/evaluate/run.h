#pragma once
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/evaluate/diagnosis.h"
#include "harness/evaluate/explain.h"
#include "harness/evaluate/launches.h"
#include "harness/evaluate/preflight.h"
#include "harness/evaluate/worker_pool.h"

namespace harness {

/// What an evaluation obeys besides the request.
struct RunSettings {
  MeasuredPeaks peaks;
  bool policy_refuses = true;  // false: what the source policy flags is only marked
  std::string unconfined;      // PipelineEvaluator::Options
  Preflight* preflight = nullptr;
  Explanations* explanations = nullptr;  // of the process's earlier candidates
};

/// One evaluation, step by step. Each step either goes on or settles the outcome; each leaves a gate with its evidence,
/// in this order: source-policy, compile, source-policy:ptx and :sass, entries, arguments, resources, state, (no
/// effect), preflight, the judged launch, determinism, forms and shapes, sizes, timing, timed calls launched twice,
/// agreement of times, secretly chosen timed calls, the launch after timing, plausibility, memory; and where something
/// is wrong, what a memory checker says of it.
class EvaluationRun {
 public:
  EvaluationRun(const EvaluationRequest& request, RunSettings settings, WorkerPool& workers);
  Evaluation finish();

 private:
  using Settled = std::optional<Outcome>;

  Outcome steps();
  Settled gate_source();
  Settled gate_preflight();
  Settled gate_machine_code();
  Settled build();
  Settled gate_artifact();
  Settled prepare();
  Settled gate_launch();
  Settled gate_determinism();
  Settled gate_forms();
  Settled gate_after_timing();
  Settled gate_memory();

  Settled measure(Timing& timing);
  Settled measure_on_device(Subject* incumbent, const TimingPolicy& policy, std::vector<Samples>& samples);
  Settled measure_by_turns(Subject* incumbent, const TimingPolicy& policy, std::vector<Samples>& samples);
  std::optional<Subject> incumbent_subject();
  Settled gate_timed_calls(const Samples& samples);
  Settled judge_timed_call(const std::string& gate, const DrawId& draw, const SharedMemory& left);
  Settled gate_plausibility(const Timing& timing);
  Timing describe(const std::vector<Samples>& samples) const;

  Settled add(GateResult gate, bool refuses = true);
  Settled judge_form_here(const std::string& form, const std::string& name, const std::string& why);
  Settled judge_form(Subject& subject, std::size_t contender, const std::string& form, const std::string& place);
  Settled wrong(const Launched& launched, Subject& subject, const std::string& where);
  std::string try_stages_of(const Realized& realized, const JudgeProcess::Trusted& trusted, const std::string& form);
  std::string diagnosis(const Launched& launched);
  void explain(Outcome& outcome);
  std::optional<std::string> ask_checkers();
  void paint(Subject& subject, std::size_t image, const std::string& form = "nominal");
  std::size_t neighbour_for(const std::string& form, std::size_t turn) const;
  std::size_t strictest_neighbour() const;
  GateResult sizes_judged() const;
  double deadline() const;
  double seconds_at(const Realized& point) const;

  const EvaluationRequest& request_;
  RunSettings settings_;
  WorkerPool& workers_;
  Evaluation evaluation_;
  Artifact artifact_;
  double launch_s_ = 0;              // of the judged launch, transfers included
  Subject subject_;                  // contender 0
  std::vector<Subject> neighbours_;  // contenders 1, 2, ...
  std::set<std::size_t> judged_;     // contenders among the neighbours that a launch was judged of
  CheckedPlace suspect_;             // where the last launch was judged
  std::vector<std::byte> first_outputs_;
  std::vector<SharedMemory> timed_places_;  // GPU: what secretly chosen timed calls left
  std::vector<std::byte> timed_copy_;       // cpu: what a secretly chosen timed run left
  DrawId timed_draw_;
};

}  // namespace harness
