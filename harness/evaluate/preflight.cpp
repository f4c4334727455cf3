#include "harness/evaluate/preflight.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/first_error.h"
#include "harness/core/gates.h"
#include "harness/core/hash.h"
#include "harness/evaluate/launches.h"
#include "harness/judge/verdict.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

constexpr double kPreflightDeadline = 4;

GateResult not_checked(const std::string& why) {
  return {name_of(gate::preflight), true, why, false};
}

std::string identity(const Realized& realized) {
  return sha256_hex(json_text(realized.build) + realized.problem.contract_hash);
}

}  // namespace

bool Preflight::is_needed(const Realized& realized, bool finalist) const {
  return (finalist || !tried_sources_.contains(realized.source_hash)) && !known_.contains(identity(realized));
}

void Preflight::announce(const Realized& realized, bool finalist) {
  if (is_needed(realized, finalist)) cpu_.builders.submit(cpu_.kind.checked_build(realized.build), false);
}

void Preflight::begin(const Realized& realized, const Admission* admission, bool finalist) {
  if (under_way_ && under_way_->result.wait_for(std::chrono::seconds(0)) == std::future_status::ready)
    end_what_is_under_way();
  if (under_way_) return announce(realized, finalist);
  if (!is_needed(realized, finalist)) return;
  const auto tolerances = admission == nullptr ? nullptr : std::make_shared<const Admission>(*admission);
  under_way_ = {
      identity(realized), realized.source_hash, to_text(realized.candidate.config),
      std::async(std::launch::async, [this, realized, tolerances] { return try_it(realized, tolerances.get()); })};
}

void Preflight::end_what_is_under_way() {
  if (!under_way_) return;
  UnderWay done = std::move(*under_way_);
  under_way_.reset();
  keep(done, done.result.get());
}

void Preflight::keep(const UnderWay& done, const PreflightResult& result) {
  if (!result.gate.checked)
    tried_sources_.emplace(done.source_hash, done.config + " was not checked: " + result.gate.detail);
  else if (result.gate.passed) tried_sources_.emplace(done.source_hash, done.config + " was right");
  known_.emplace(done.key, result);
}

std::optional<std::string> Preflight::explain(const Realized& realized, const Admission* admission, double seconds) {
  end_what_is_under_way();
  return explain_by_checker(cpu_, {{&realized}}, admission, seconds);
}

PreflightResult Preflight::check(const Realized& realized, const Admission* admission, bool finalist) {
  const std::string key = identity(realized);
  end_what_is_under_way();
  const auto earlier = known_.find(key);
  if (earlier != known_.end()) return earlier->second;
  const auto tried = tried_sources_.find(realized.source_hash);
  if (!finalist && tried != tried_sources_.end())
    return {not_checked(fmt::format("this configuration was not tried on the cpu device; of the same source {}",
                                    tried->second)),
            {}};
  begin(realized, admission, finalist);
  end_what_is_under_way();
  return known_.at(key);
}

// Only what is wrong on any device settles: a wrong answer and what the memory checker saw. How a fault shows differs
// between devices by nature (an integer division by zero traps here and gives a number there), so it is marked.
PreflightResult Preflight::try_it(const Realized& realized, const Admission* admission) {
  const BuildResult built = cpu_.await(cpu_.kind.checked_build(realized.build));
  const auto* artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) {
    const std::string error = first_error(std::get<CompileFailure>(built).log);
    return {not_checked("it does not compile for the cpu device" + (error.empty() ? "" : ": " + error)), {}};
  }
  Subject subject = cpu_.make_subject(realized, *artifact, admission);
  subject.trusted = cpu_.build_trusted(realized);
  cpu_.paint(subject, 0);
  cpu_.paint(subject, 1);
  const std::string place = realized.problem.workload.name;
  // Both take seconds of one core each, and neither needs the other.
  std::future<std::vector<MemoryCheck>> checking = std::async(std::launch::async, [&] {
    return check_memory(cpu_.kind, cpu_.target, subject.executable, subject.images[1], kPreflightDeadline, cpu_.stop);
  });
  if (auto failure = cpu_.runner.prepare({{&subject.executable, {&subject.images[0]}}}, kPreflightDeadline))
    return {not_checked(fmt::format("on the cpu device at {}: {}", place, failure->detail)), {}};
  const Launched launched = launch_and_judge(cpu_, subject, 0, 0, kPreflightDeadline);
  cpu_.runner.kill();
  const std::vector<MemoryCheck> checks = checking.get();
  if (!launched.failure && !launched.verdict.passed()) {
    const GateResult& failed = *first_failed(launched.verdict.gates);
    const std::string why = first_finding(checks);
    const std::string words =
        fmt::format("on the cpu device at {}: {}{}: {}", place, why.empty() ? "" : "memory checker: " + why + "; ",
                    failed.name, failed.detail);
    cpu_.judge.forget();
    return {{name_of(gate::preflight), false, words},
            WrongAnswer{"preflight " + words, launched.verdict.first_bad, judge::fingerprint(launched.verdict)}};
  }
  cpu_.judge.forget();
  for (const MemoryCheck& check : checks) {
    if (!check.checked) return {not_checked(fmt::format("on the cpu device at {}: {}", place, check.why)), {}};
    const std::vector<Finding> faults_seen = faults(check);
    if (faults_seen.empty()) continue;
    const std::string words = fmt::format("on the cpu device at {}: {}", place, faults_seen.front().message);
    return {{name_of(gate::preflight), false, words}, Rejected{name_of(gate::preflight), words}};
  }
  if (launched.failure)
    return {not_checked(fmt::format("on the cpu device at {}: {}", place, launched.failure->detail)), {}};
  return {{name_of(gate::preflight), true, fmt::format("right and clean on the cpu device at {}", place)}, {}};
}

}  // namespace harness
