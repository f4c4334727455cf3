#include "harness/evaluate/preflight.h"

#include <fmt/format.h>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/evaluate/launches.h"
#include "harness/judge/verdict.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

constexpr const char* kName = "preflight";
constexpr double kPreflightDeadline = 4;

GateResult not_checked(const std::string& why) {
  return {kName, true, why, false};
}

std::string identity(const Realized& realized) {
  return sha256_hex(json_text(realized.build) + realized.problem.contract_hash);
}

}  // namespace

void Preflight::announce(const Realized& realized, bool finalist) {
  if ((!finalist && tried_sources_.contains(realized.source_hash)) || known_.contains(identity(realized))) return;
  cpu_.builders.submit(cpu_.kind.checked_build(realized.build), false);
}

PreflightResult Preflight::check(const Realized& realized, const Admission* admission, bool finalist) {
  const std::string key = identity(realized);
  const auto known = known_.find(key);
  if (known != known_.end()) return known->second;
  const auto tried = tried_sources_.find(realized.source_hash);
  if (!finalist && tried != tried_sources_.end())
    return {not_checked(fmt::format("this configuration was not tried on the cpu device; of the same source {}",
                                    tried->second)),
            {}};
  const PreflightResult result = try_it(realized, admission);
  const std::string config = to_text(realized.candidate.config);
  if (!result.gate.checked)
    tried_sources_.emplace(realized.source_hash, config + " was not checked: " + result.gate.detail);
  else if (result.gate.passed) tried_sources_.emplace(realized.source_hash, config + " was right");
  return known_.emplace(key, result).first->second;
}

// Only what is wrong on any device settles: a wrong answer and what the memory checker saw. How a fault shows differs
// between devices by nature (an integer division by zero traps here and gives a number there), so it is marked.
PreflightResult Preflight::try_it(const Realized& realized, const Admission* admission) {
  const BuildResult built = cpu_.await(cpu_.kind.checked_build(realized.build));
  const auto* artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) return {not_checked("it does not compile for the cpu device"), {}};
  Subject subject = cpu_.make_subject(realized, *artifact, admission);
  subject.trusted = cpu_.build_trusted(realized);
  cpu_.paint(subject, 0);
  const std::string place = realized.problem.workload.name;
  if (auto failure = cpu_.runner.prepare({{&subject.executable, {&subject.images[0]}}}, kPreflightDeadline))
    return {not_checked(fmt::format("on the cpu device at {}: {}", place, failure->detail)), {}};
  const Launched launched = launch_and_judge(cpu_, subject, 0, 0, kPreflightDeadline);
  cpu_.runner.kill();
  cpu_.paint(subject, 0);
  const std::vector<MemoryCheck> checks =
      check_memory(cpu_.kind, cpu_.target, subject.executable, subject.images[0], kPreflightDeadline, cpu_.stop);
  if (!launched.failure && !launched.verdict.passed()) {
    const GateResult& failed = *first_failed(launched.verdict.gates);
    const std::string why = first_finding(checks);
    const std::string words =
        fmt::format("on the cpu device at {}: {}{}: {}", place, why.empty() ? "" : "memory checker: " + why + "; ",
                    failed.name, failed.detail);
    cpu_.judge.forget();
    return {{kName, false, words},
            WrongAnswer{"preflight " + words, launched.verdict.first_bad, judge::fingerprint(launched.verdict)}};
  }
  cpu_.judge.forget();
  for (const MemoryCheck& check : checks) {
    if (!check.checked) return {not_checked(fmt::format("on the cpu device at {}: {}", place, check.why)), {}};
    const std::vector<Finding> found = faults(check);
    if (found.empty()) continue;
    const std::string words = fmt::format("on the cpu device at {}: {}", place, found.front().message);
    return {{kName, false, words}, Rejected{kName, words}};
  }
  if (launched.failure)
    return {not_checked(fmt::format("on the cpu device at {}: {}", place, launched.failure->detail)), {}};
  return {{kName, true, fmt::format("right and clean on the cpu device at {}", place)}, {}};
}

}  // namespace harness
