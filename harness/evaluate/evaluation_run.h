#pragma once
#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/evaluate/explain.h"
#include "harness/evaluate/preflight.h"
#include "harness/evaluate/worker_pool.h"
#include "harness/judge/bytes.h"

namespace harness {

class Counting;

/// What an evaluation obeys besides the request.
struct RunSettings {
  MeasuredPeaks peaks;
  bool policy_refuses = true;  // false: what the source policy flags is only marked
  std::string unconfined;      // PipelineOptions
  Preflight* preflight = nullptr;
  Explanations* explanations = nullptr;                         // of the process's earlier candidates
  std::function<void(const std::string& phase)> on_phase = {};  // told what is done now, for whoever watches
  Counting* counting = nullptr;                                 // where times are predicted
};

/// What a step of an evaluation settles; empty: the next step is due.
using Settled = std::optional<Outcome>;

/// One evaluation under way: what is asked, what was found so far, and the candidate with its images. Every gate is a
/// function of it.
class EvaluationRun {
 public:
  EvaluationRun(const EvaluationRequest& request, RunSettings settings, WorkerPool& workers);

  /// What cannot be a new best ends before the gates that only a best needs.
  bool screens() const { return request.screen && request.incumbent && !request.confirm && !request.gates_only; }
  /// What is slow ends before them, too.
  bool briefs() const { return request.brief_s > 0 && !request.confirm && !request.gates_only; }
  /// Either may end before anything is needed that only a best needs.
  bool timed_size_first() const { return screens() || briefs(); }
  /// All gates and a timing take so many launches of the timed size; where times are predicted none are for a timing.
  double launches_of_all_gates() const { return workers.native() ? 10 : 60; }
  /// By its fastest launch: the first one of a library or of PyTorch may set up what is there afterwards.
  bool is_slow() const {
    return !launches_ns.empty() && std::ranges::min(launches_ns) * launches_of_all_gates() > request.brief_s * 1e9;
  }
  /// A campaign waits for the cpu device after the GPU's gates, which it goes through meanwhile: hardly any candidate
  /// fails there alone. Elsewhere what is wrong is told before the GPU runs it.
  bool preflight_beside() const { return timed_size_first() || request.screen || request.confirm; }
  /// As far as the first launch tells what one takes.
  bool briefly_affords(std::size_t launches) const {
    return static_cast<double>(launches) * launches_ns.front() <= request.brief_s * 1e9;
  }
  /// Keeps the gate with its evidence. One that failed settles the outcome, unless it is not to refuse.
  Settled add(GateResult gate, bool refuses = true);
  /// Those of a judged launch; the first has the time of all, the launch and its reference included.
  void add_judged(std::vector<GateResult> gates);
  /// Draws anew into the subject's image; the seed is recorded.
  void paint(Subject& painted, std::size_t image, const std::string& form = "nominal");
  /// The device, for this process alone. Waiting for it is a cost of its own and none of the `stage` that is charged
  /// meanwhile.
  std::optional<DeviceLock::Hold> hold_device(double StageCosts::*stage = nullptr);
  /// Of one launch at the timed size.
  double deadline() const;
  /// The candidate elsewhere, found when it is first asked for.
  const std::vector<Realized>& neighbour_points() { return other_points().neighbours; }
  const std::map<std::string, SizeRange>& size_ranges() { return other_points().ranges; }
  double valid_share() { return other_points().valid_share; }
  const auto& along() { return other_points().along; }
  const auto& other_configurations() { return other_points().other_configurations; }
  const auto& tiny_at() { return other_points().tiny_at; }
  const std::vector<SourceFile>& baseline_texts() { return other_points().baseline; }
  const std::optional<Realized>& preflight_point() { return other_points().preflight; }
  /// What the candidate compiles to at this point. A builder may compile one text anew for other arguments
  /// (BuildSpec::uses); `failure` is set where that fails.
  const Artifact* artifact_at(const Realized& point, CompileFailure& failure);
  /// What a launch at another point of the domain may take beside the deadline: the point may be larger.
  double seconds_at(const Realized& point) const;

  const EvaluationRequest& request;
  RunSettings settings;
  WorkerPool& workers;
  Evaluation evaluation;
  Artifact artifact;
  std::future<Disassembly> disassembled;  // of a finalist
  double launch_s = 0;                    // of the judged launch, transfers included
  std::vector<double> launches_ns;  // at the timed size, the judged one first, transfers not counted; see Runner::run
  Subject subject;                  // contender 0
  std::vector<Subject> neighbours;  // contenders 1, 2, ...
  std::set<std::size_t> judged;     // contenders among the neighbours that a launch was judged of
  bool memory_checker_exists = false;  // of this device, on this machine
  CheckedPlace suspect;                // where the last launch was judged
  judge::Bytes first_outputs;          // of the judged launch, and what it worked on
  DrawId first_draw;
  /// What was painted last, and for which point: the launch that an evaluation ends with is one of it.
  const Realized* last_realized = nullptr;
  DrawId last_draw;

 private:
  const OtherPoints& other_points();
  std::optional<OtherPoints> other_points_;
  std::map<std::string, Artifact> further_artifacts_;  // by the build's text, of other points
  double gate_begun_ = 0;  // when the gate before was known, on the clock of awake_seconds()
};

}  // namespace harness
