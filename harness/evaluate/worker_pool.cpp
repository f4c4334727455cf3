#include "harness/evaluate/worker_pool.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <chrono>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/text_changed.h"
#include "harness/core/torch_call.h"
#include "harness/evaluate/reference_build.h"
#include "harness/judge/custom.h"
#include "harness/judge/layout.h"
#include "harness/judge/reference.h"
#include "harness/judge/tolerance.h"
#include "harness/system/awake_clock.h"
#include "harness/system/files.h"

namespace harness {
namespace {

// Trusted code may include what the kernel's variants may.
void add_include_dirs(BuildSpec& spec, const Realized& realized) {
  spec.include_dirs.insert(spec.include_dirs.end(), realized.build.include_dirs.begin(),
                           realized.build.include_dirs.end());
}

}  // namespace

BuildSpec reference_build(const Realized& realized) {
  const Problem& problem = realized.problem;
  const std::string text = read_file(problem.reference.source, Error::Kind::bad_input);
  if (!problem.reference.digest.empty() && problem.reference.digest != sha256_hex(text))
    throw TextChanged(fmt::format(
        "{} has changed since the contract was read, which says what a right answer is; put it back and resume, or "
        "begin anew",
        problem.reference.source));
  BuildSpec spec = judge::make_reference_job(problem, text).spec;
  spec.source_name = fmt::format("kernels/{}/reference.cu", problem.kernel);
  add_include_dirs(spec, realized);
  spec.included = problem.reference.included;
  return spec;
}

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) throw environment_error("the system gives no random numbers");
  return seed >> 1;
}

std::optional<DeviceLock::Hold> WorkerPool::hold_device() {
  if (lock == nullptr) return std::nullopt;
  constexpr double kMoment = 1.5;  // an evaluation elsewhere; nobody needs to know
  if (auto hold = lock->acquire({}, stop, kMoment)) return hold;
  auto hold = lock->acquire(on_wait, stop);
  if (!hold) throw InterruptedWork{};
  return hold;
}

Runner& WorkerPool::runner_beside() {
  if (!second) second = std::make_unique<Runner>(target, stop);
  return *second;
}

BuildResult WorkerPool::await(const BuildSpec& spec) {
  const Builders::Result result = builders.submit(spec, true);
  while (result.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready)
    if (stop && stop()) throw InterruptedWork{};
  return result.get();
}

void WorkerPool::announce_trusted(const Realized& realized) {
  if (calls_torch(realized.plan)) runner.announce_torch();
  if (judge::is_program(realized.problem.reference)) judge.announce(realized.problem.reference.source);
  else builders.submit(reference_build(realized), true);
}

JudgeProcess::Trusted WorkerPool::build_trusted(const Realized& realized) {
  JudgeProcess::Trusted trusted;
  const auto build_one = [&](const BuildSpec& spec) {
    const BuildResult result = await(spec);
    if (const auto* failure = std::get_if<CompileFailure>(&result))
      throw bad_input(fmt::format("{} does not compile; mend it: {}", spec.source_name, failure->log.substr(0, 2000)));
    return std::get<Artifact>(result);
  };
  const BuildSpec reference = reference_build(realized);  // also looks whether its text has changed
  if (!judge::is_program(realized.problem.reference)) trusted.reference = build_one(reference);
  for (const std::string& path : judge::custom_sources(realized.problem)) {
    BuildSpec spec = judge::custom_build(realized.problem, path, read_file(path, Error::Kind::bad_input));
    add_include_dirs(spec, realized);
    trusted.custom[path] = build_one(spec);
  }
  return trusted;
}

Subject WorkerPool::make_subject(const Realized& realized, const Artifact& artifact, const Admission* admission) {
  Subject subject;
  const Plan plan = with_built(realized.plan, artifact);
  subject.executable = {artifact, plan, with_tolerances(realized.problem, admission, "nominal"),
                        judge::make_layout(realized.problem, plan)};
  return subject;
}

void WorkerPool::paint(Subject& subject, std::size_t image, const std::string& form) {
  while (subject.images.size() <= image) subject.images.push_back(make_image(subject.image_bytes()));
  subject.draws.resize(subject.images.size());
  subject.draws[image] = {fresh_seed(), form};
  if (const DrawId& first = subject.draws[0]; image > 0) subject.draws[image].constants = first.seed;
  repaint(subject, image);
}

void WorkerPool::repaint(Subject& subject, std::size_t image) {
  judge.paint(subject.executable, subject.trusted, subject.draws[image], subject.images[image]);
}

Problem with_tolerances(Problem problem, const Admission* admission, const std::string& form) {
  if (admission == nullptr) return problem;
  const std::string group = workload_group(problem.workload);
  for (Argument& argument : problem.arguments)
    if (const Tolerance* tolerance = find_tolerance(*admission, group, form, argument.name)) {
      judge::set_tolerance(argument, judge::tolerance_at(problem, argument, *tolerance));
      if (judge::compare_of(argument).kind == "relative" && tolerance->origin != "declared")
        argument.accuracy = accuracy_of(problem, argument);
    }
  return problem;
}

}  // namespace harness
