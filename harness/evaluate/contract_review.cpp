#include "harness/evaluate/contract_review.h"

#include <fmt/format.h>

#include "harness/core/first_error.h"
#include "harness/evaluate/reference_build.h"
#include "harness/judge/layout.h"
#include "harness/judge/reference.h"
#include "harness/system/files.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

constexpr double kCheckDeadline = 10;

/// The reference as a plan of its own, without an artifact, whose judge needs nothing.
Subject reference_subject(WorkerPool& workers, const Realized& realized) {
  Subject subject;
  subject.executable = {{}, realized.plan, realized.problem, judge::make_layout(realized.problem, realized.plan)};
  subject.trusted = workers.build_trusted(realized);
  return subject;
}

}  // namespace

ContractReview review_draws(WorkerPool& workers, const Realized& baseline) {
  const auto hold = workers.native() ? std::nullopt : workers.hold_device();
  const Subject subject = reference_subject(workers, baseline);
  ContractReview review = workers.judge.review(subject.executable, subject.trusted, {fresh_seed(), "nominal"});
  workers.judge.forget();
  return review;
}

void check_reference(WorkerPool& emulation, const Realized& small, ContractReview& review) {
  const Problem& problem = small.problem;
  if (judge::is_program(problem.reference)) return;  // Python has no addresses to be wrong about
  judge::ReferenceJob job = judge::make_reference_job(problem, read_file(problem.reference.source));
  const BuildResult built = emulation.await(emulation.kind.checked_build(reference_build(small)));
  const auto* artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) {
    review.not_checked =
        "the reference does not compile for the memory checker: " + first_error(std::get<CompileFailure>(built).log);
    return;
  }
  job.executable.artifact = *artifact;
  Subject subject = reference_subject(emulation, small);
  emulation.paint(subject, 0);
  const judge::Bytes bytes = judge::reference_image(problem, subject.executable.layout, subject.images[0].bytes(), job);
  const SharedMemory image(bytes.size());
  judge::copy_bytes({bytes.data(), bytes.size()}, image.bytes());
  emulation.judge.forget();
  for (const MemoryCheck& check :
       check_memory(emulation.kind, emulation.target, job.executable, image, kCheckDeadline, emulation.stop)) {
    if (!check.checked) review.not_checked = "the reference under the memory checker: " + check.why;
    for (const Finding& fault : faults(check)) {
      review.problems.push_back(
          fmt::format("the reference has a fault, on {}: {}; mend it", problem.workload.name, fault.message));
      break;
    }
  }
}

}  // namespace harness
