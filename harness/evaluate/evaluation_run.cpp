#include "harness/evaluate/evaluation_run.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "harness/core/gates.h"
#include "harness/core/torch_call.h"
#include "harness/system/awake_clock.h"

namespace harness {
namespace {

/// torch.compile compiles each size anew.
bool compiles_torch(const Plan& plan) {
  return std::ranges::any_of(plan.steps, [](const Step& step) {
    const auto* const call = std::get_if<LibraryCall>(&step);
    return call != nullptr && call->library == kTorch && call->options.value("compile", false);
  });
}

}  // namespace

EvaluationRun::EvaluationRun(const EvaluationRequest& evaluation_request, RunSettings given, WorkerPool& pool)
    : request(evaluation_request), settings(std::move(given)), workers(pool) {
  suspect.realized = &request.realized;
  gate_begun_ = awake_seconds();
  evaluation.contract_hash = request.realized.problem.contract_hash;
  evaluation.source_hash = request.realized.source_hash;
  evaluation.source_text = request.realized.build.source;
}

Settled EvaluationRun::add(GateResult gate, bool refuses) {
  assert(find_gate(gate.name) != nullptr);  // a name that the table has not would be read as nothing by whoever asks it
  const bool failed = !gate.passed;
  const double now = awake_seconds();
  gate.seconds = std::round((now - std::exchange(gate_begun_, now)) * 1e3) / 1e3;
  evaluation.gates.push_back(std::move(gate));
  const GateResult& added = evaluation.gates.back();
  if (failed && refuses) return Rejected{added.name, added.detail};
  return std::nullopt;
}

void EvaluationRun::add_judged(std::vector<GateResult> gates) {
  const double now = awake_seconds();
  if (!gates.empty()) gates.front().seconds = std::round((now - std::exchange(gate_begun_, now)) * 1e3) / 1e3;
  for (GateResult& gate : gates) evaluation.gates.push_back(std::move(gate));
}

const OtherPoints& EvaluationRun::other_points() {
  if (other_points_) return *other_points_;
  other_points_ = request.other_points ? request.other_points() : OtherPoints{};
  // The operator's program has no reason to be right at a few sizes alone, and each costs a compiler seconds.
  constexpr std::size_t kFewSizes = 3;
  std::vector<Realized>& points = other_points_->neighbours;
  if (compiles_torch(request.realized.plan) && points.size() > kFewSizes) {
    std::vector<Realized> few;
    for (std::size_t i = 0; i < kFewSizes; ++i)
      few.push_back(std::move(points[i * (points.size() - 1) / (kFewSizes - 1)]));
    points = std::move(few);
  }
  return *other_points_;
}

const Artifact* EvaluationRun::artifact_at(const Realized& point, CompileFailure& failure) {
  if (point.build.uses == request.realized.build.uses) return &artifact;
  const std::string key = json_text(point.build);
  const auto known = further_artifacts_.find(key);
  if (known != further_artifacts_.end()) return &known->second;
  const BuildResult built = workers.await(point.build);
  if (const auto* made = std::get_if<Artifact>(&built)) return &(further_artifacts_[key] = *made);
  failure = std::get<CompileFailure>(built);
  return nullptr;
}

void EvaluationRun::paint(Subject& painted, std::size_t image, const std::string& form) {
  workers.paint(painted, image, form);
  evaluation.seeds.push_back(painted.draws[image].seed);
  last_draw = painted.draws[image];
  last_realized = &painted == &subject ? &request.realized
                                       : &neighbour_points()[static_cast<std::size_t>(&painted - neighbours.data())];
}

std::optional<DeviceLock::Hold> EvaluationRun::hold_device(double StageCosts::*stage) {
  const double begin = awake_seconds();
  auto hold = workers.hold_device();
  const double waited = awake_seconds() - begin;
  evaluation.cost.idle_s += waited;
  if (stage != nullptr) evaluation.cost.*stage -= waited;
  return hold;
}

double EvaluationRun::deadline() const {
  const auto best = request.incumbent ? std::optional(request.incumbent->time_ns) : request.baseline_ns;
  constexpr double kImageBytesPerSecond = 2.5e8;  // to the device and back, on a busy machine
  constexpr double kLibraryBuildSeconds = 10;     // cuDNN compiles when it meets a shape for the first time
  return run_deadline(workers.limits, time_to_wait_for(workers.device, best)) +
         static_cast<double>(subject.image_bytes()) / kImageBytesPerSecond +
         (has_library_step(request.realized.plan) ? kLibraryBuildSeconds : 0) + torch_start_s(request.realized.plan);
}

double EvaluationRun::seconds_at(const Realized& point) const {
  // Seconds for a unit of work, and for a thread: what slow honest kernels took, with room. A GPU that takes a tenth of
  // a nanosecond for an operation is slow already; emulated code takes 500 times as long, and two microseconds a
  // thread.
  const double amount = amount_of(point.problem.work);
  if (!workers.device.emulation) return amount * 1e-10;
  // As much more of what this candidate took as there is more to do, or as many more threads that do it: a block of a
  // tiled kernel takes as long for one row as for all. One that is slow everywhere is not to blame.
  constexpr double kRoom = 4, kLongest = 60;
  const double timed = std::max(1.0, amount_of(subject.problem().work));
  const double threads = static_cast<double>(launched_threads(point.plan)) /
                         static_cast<double>(std::max<std::int64_t>(1, launched_threads(request.realized.plan)));
  const double its_own = kRoom * launch_s * std::max(amount / timed, threads);
  return std::min(workers.limits.run_s, amount * 5e-8 + static_cast<double>(launched_threads(point.plan)) * 2e-6) +
         std::min(kLongest, its_own);
}

}  // namespace harness
