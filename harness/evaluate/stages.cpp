#include "harness/evaluate/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "harness/evaluate/launches.h"

namespace harness {
namespace {

constexpr std::byte kUnwritten{0xff};  // a NaN in every floating type

std::span<std::byte> bytes_of(Subject& subject, const std::string& buffer) {
  const ImageBuffer& place = *find_buffer(subject.executable.layout, buffer);
  return subject.images[0].bytes().subspan(static_cast<std::size_t>(place.offset),
                                           static_cast<std::size_t>(place.bytes));
}

void copy_bytes(std::span<const std::byte> from, std::span<std::byte> to) {
  std::copy(from.begin(), from.end(), to.begin());
}

bool is_unwritten(std::span<const std::byte> unit) {
  return std::all_of(unit.begin(), unit.end(), [](std::byte b) { return b == kUnwritten; });
}

/// `detail` of one result buffer, and whether it is right.
StageResult compare_result(const std::string& name, Dtype dtype, double tolerance, std::span<const std::byte> got,
                           std::span<const std::byte> right) {
  const auto unit = static_cast<std::size_t>(storage_bytes(dtype));
  double wrong = 0, all = 0;
  std::string first;
  for (std::size_t i = 0; i + unit <= right.size(); i += unit) {
    if (is_unwritten(right.subspan(i, unit))) continue;  // of no consequence
    const double expected = load_as_double(dtype, right.data() + i), value = load_as_double(dtype, got.data() + i);
    if (expected == value) {
      if (std::isfinite(expected)) all += expected * expected;
      continue;
    }
    const double error = std::isfinite(value) && std::isfinite(expected) ? value - expected : INFINITY;
    wrong += error * error;
    if (std::isfinite(expected)) all += expected * expected;
    if (first.empty() && !(std::abs(error) <= tolerance * std::max(1e-30, std::abs(expected))))
      first = fmt::format(", first at element {}: expected {:.6g}, got {:.6g}", i / unit, expected, value);
  }
  const double relative = wrong == 0 ? 0 : std::sqrt(wrong / std::max(all, 1e-300));
  const bool passed = relative <= tolerance;
  return {name, passed, true, fmt::format("{} {:.2g} of {:.2g}{}", name, relative, tolerance, passed ? "" : first)};
}

class StageTrial {
 public:
  StageTrial(WorkerPool& workers, const Realized& realized, double deadline_s)
      : workers_(workers), realized_(realized), deadline_s_(deadline_s) {}

  std::vector<StageResult> run(const Artifact& own, const Artifact& plain, const Admission* admission,
                               const JudgeProcess::Trusted& trusted, const std::string& form) {
    const std::vector<Step>& steps = realized_.plan.steps;
    std::size_t begin = 0;
    for (const Stage& stage : realized_.stages.parts) {
      add_subject(plain, admission, {Step(stage.reference)}).executable.plan.constants.clear();  // another module
      add_subject(
          own, admission,
          {steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.begin() + static_cast<std::ptrdiff_t>(stage.end)});
      begin = stage.end;
    }
    Subject& rest = add_subject(own, admission, {steps.begin() + static_cast<std::ptrdiff_t>(begin), steps.end()});
    rest.trusted = trusted;
    rest.executable.problem = with_tolerances(realized_.problem, admission, form);
    workers_.paint(rest, 0, form);
    painted_.assign(rest.images[0].bytes().begin(), rest.images[0].bytes().end());
    if (auto failure = workers_.runner.prepare(contenders(), deadline_s_)) return {failed("stages", *failure)};
    for (std::size_t k = 0; k < realized_.stages.parts.size(); ++k)
      if (!try_stage(realized_.stages.parts[k], 2 * k)) return std::move(results_);
    try_rest(rest);
    return std::move(results_);
  }

 private:
  Subject& add_subject(const Artifact& artifact, const Admission* admission, std::vector<Step> steps) {
    Subject subject = workers_.make_subject(realized_, artifact, admission);
    subject.executable.plan.steps = std::move(steps);
    subject.images.emplace_back(subject.image_bytes());
    subject.draws.resize(1);
    return subjects_.emplace_back(std::move(subject));
  }

  std::vector<Contender> contenders() const {
    std::vector<Contender> all;
    for (const Subject& subject : subjects_) all.push_back({&subject.executable, {&subject.images[0]}});
    return all;
  }

  static StageResult failed(const std::string& name, const RunnerFailure& failure) {
    return {name, false, false, failure.detail};
  }

  /// As the judge painted it, with everything that the stages so far should have handed on.
  void feed(Subject& subject) {
    copy_bytes(painted_, subject.images[0].bytes());
    for (const auto& [name, bytes] : right_) copy_bytes(bytes, bytes_of(subject, name));
  }

  /// False: nothing after it can be tried.
  bool try_stage(const Stage& stage, std::size_t contender) {
    Subject &plain = subjects_[contender], &own = subjects_[contender + 1];
    feed(plain);
    feed(own);
    for (const auto& [name, dtype] : stage.results) std::ranges::fill(bytes_of(plain, name), kUnwritten);
    if (auto failure = workers_.runner.run(contender, 0, deadline_s_)) {
      results_.push_back(failed(stage.name, *failure));
      return false;
    }
    if (auto failure = workers_.runner.run(contender + 1, 0, deadline_s_)) {
      results_.push_back({stage.name, false, true, failure->detail});
      return false;
    }
    StageResult result{stage.name, true, true, ""};
    for (const auto& [name, dtype] : stage.results) {
      const StageResult one = compare_result(name, dtype, stage.tolerance, bytes_of(own, name), bytes_of(plain, name));
      result.right = result.right && one.right;
      result.detail += (result.detail.empty() ? "" : ", ") + one.detail;
      const auto right = bytes_of(plain, name);
      right_[name].assign(right.begin(), right.end());
    }
    results_.push_back(std::move(result));
    return true;
  }

  void try_rest(Subject& rest) {
    feed(rest);
    const Launched launched = launch_and_judge(workers_, rest, subjects_.size() - 1, 0, deadline_s_);
    if (launched.failure) {
      results_.push_back({"the rest", false, true, launched.failure->detail});
      return;
    }
    const GateResult* const wrong = first_failed(launched.verdict.gates);
    results_.push_back({"the rest", wrong == nullptr, true,
                        wrong == nullptr ? errors_in_words(launched.verdict) : wrong->name + ": " + wrong->detail});
  }

  WorkerPool& workers_;
  const Realized& realized_;
  double deadline_s_;
  std::deque<Subject> subjects_;  // plain and own of each stage, then the rest
  std::vector<std::byte> painted_;
  std::map<std::string, std::vector<std::byte>> right_;  // workspaces, as the stages so far should leave them
  std::vector<StageResult> results_;
};

}  // namespace

std::vector<StageResult> try_stages(WorkerPool& workers, const Realized& realized, const Artifact& artifact,
                                    const Admission* admission, const JudgeProcess::Trusted& trusted,
                                    const std::string& form, double deadline_s) {
  const BuildResult built = workers.await(realized.stages.build);
  if (const auto* failure = std::get_if<CompileFailure>(&built))
    return {{"stages", false, false,
             fmt::format("{} does not compile: {}", realized.stages.build.source_name, failure->log.substr(0, 500))}};
  return StageTrial(workers, realized, deadline_s).run(artifact, std::get<Artifact>(built), admission, trusted, form);
}

}  // namespace harness
