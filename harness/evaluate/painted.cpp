#include "harness/evaluate/painted.h"

#include <algorithm>

#include "harness/core/gates.h"
#include "harness/evaluate/launches.h"

namespace harness {
namespace {

Settled load(EvaluationRun& run) {
  std::vector<Subject*> subjects{&run.subject};
  for (Subject& subject : run.neighbours) subjects.push_back(&subject);
  const double limit = run.workers.limits.run_s;
  if (auto failure = run.workers.runner.prepare(contenders_of(subjects), limit))
    return to_outcome(*failure, "launch", limit);
  return std::nullopt;
}

/// Each is painted just before its launch, and judged before the next is painted: on a GPU one memory serves all, as
/// pages that are touched for the first time cost more than all else that is done to them.
void give_images(EvaluationRun& run) {
  if (run.workers.native()) {
    for (Subject& subject : run.neighbours) subject.images.push_back(run.workers.make_image(subject.image_bytes()));
    return;
  }
  std::size_t most = 0;
  for (const Subject& subject : run.neighbours) most = std::max(most, subject.image_bytes());
  const SharedMemory memory = run.workers.make_image(most);
  for (Subject& subject : run.neighbours) subject.images.push_back(memory.first(subject.image_bytes()));
}

}  // namespace

Settled reload(EvaluationRun& run) {
  return load(run);
}

Settled prepare_candidate(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  run.subject.trusted = run.workers.build_trusted(run.request.realized);
  run.paint(run.subject, 0);
  if (run.workers.native()) {
    run.subject.images.emplace_back(run.subject.image_bytes());  // timed runs change addresses, too
    run.subject.draws.resize(2);
  }
  return load(run);
}

Settled prepare_neighbours(EvaluationRun& run) {
  if (run.request.admission == nullptr || run.neighbour_points().empty()) return std::nullopt;
  const Charge charge(run.evaluation.cost.gates_s);
  run.neighbours.reserve(run.neighbour_points().size());
  for (const Realized& realized : run.neighbour_points()) {
    CompileFailure failure;
    const Artifact* const artifact = run.artifact_at(realized, failure);
    if (artifact == nullptr) {
      run.add({name_of(gate::compile), false, "it does not compile for " + realized.problem.workload.name}, false);
      return CompileError{failure.log};
    }
    Subject& subject =
        run.neighbours.emplace_back(run.workers.make_subject(realized, *artifact, run.request.admission));
    subject.trusted = run.workers.build_trusted(realized);
    subject.draws.resize(1);
  }
  give_images(run);
  return load(run);
}

}  // namespace harness
