#include "harness/evaluate/before_launch.h"

#include <fmt/format.h>

#include "harness/core/gates.h"
#include "harness/evaluate/finalist_memory.h"
#include "harness/evaluate/gates.h"
#include "harness/evaluate/predicted_timing.h"
#include "harness/judge/manifest_text.h"
#include "harness/judge/policy.h"
#include "harness/predict/counting.h"
#include "harness/system/files.h"

namespace harness {
namespace {

Settled refuse_source(EvaluationRun& run, const FailedBefore& before) {
  return run.add({before.gate, false,
                  fmt::format("not tried: iteration {}, another configuration of this source, failed this gate",
                              before.iteration)});
}

/// "" of CUDA C++; else what the source is written in.
std::string foreign_language(const BuildSpec& build) {
  return build.source_name.ends_with(".cu") ? "" : "the language of builder '" + build.builder + "'";
}

}  // namespace

Settled gate_machine_code(EvaluationRun& run) {
  if (!run.disassembled.valid()) return std::nullopt;
  const Charge charge(run.evaluation.cost.gates_s);
  const Disassembly code = run.disassembled.get();
  if (!code.why.empty()) return run.add({name_of(gate::source_policy_sass), true, "not checked: " + code.why, false});
  if (code.text.empty()) return std::nullopt;
  GateResult gate = judge::policy_gate(judge::scan_sass("SASS", code.text), run.request.realized.problem.policy,
                                       run.settings.policy_refuses);
  gate.name = name_of(gate::source_policy_sass);
  return run.add(std::move(gate));
}

Settled gate_source(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  if (!run.settings.unconfined.empty()) run.add({name_of(gate::confinement), true, run.settings.unconfined, false});
  if (run.request.failed_before) return refuse_source(run, *run.request.failed_before);
  if (const std::string language = foreign_language(run.request.realized.build); !language.empty())
    return run.add({name_of(gate::source_policy), true,
                    fmt::format("not checked: {} is no language that the policy reads", language), false});
  std::vector<judge::PolicyFlag> flags;
  const std::map<std::string, std::string>& granted = run.request.realized.problem.policy;
  const std::set<std::string> libraries = judge::granted_libraries(granted);
  for (const SourceFile& file : run.request.realized.sources) {
    if (judge::is_of_library(file.name, libraries)) continue;
    for (judge::PolicyFlag& flag : judge::scan_source(file.name, file.text, libraries))
      flags.push_back(std::move(flag));
  }
  for (judge::PolicyFlag& flag : judge::scan_manifest(run.request.realized.build)) flags.push_back(std::move(flag));
  return run.add(judge::policy_gate(flags, granted, run.settings.policy_refuses));
}

void announce_other_points(EvaluationRun& run) {
  for (const Realized& neighbour : run.neighbour_points()) {
    run.workers.announce_trusted(neighbour);
    if (neighbour.build.uses != run.request.realized.build.uses) run.workers.builders.submit(neighbour.build, true);
  }
  if (run.settings.preflight != nullptr && run.preflight_point())
    run.settings.preflight->begin(*run.preflight_point(), run.request.admission, run.request.confirm);
}

Settled gate_build(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.build_s);
  run.workers.announce_trusted(run.request.realized);
  if (predicts_times(run) && !run.request.gates_only)
    run.settings.counting->announce(run.request.realized, run.workers.device.predicts);
  if (!run.timed_size_first()) announce_other_points(run);
  announce_memory_gate(run);
  const BuildResult result = run.workers.await(run.request.realized.build);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) {
    run.evaluation.log = failure->log;
    if (failure->missing) return Unsupported{failure->log};
    run.add({name_of(gate::compile), false, "see the compiler's log"}, false);
    return CompileError{failure->log};
  }
  run.artifact = std::get<Artifact>(result);
  run.evaluation.log = run.artifact.log;
  run.evaluation.compiler = run.artifact.compiler;
  run.evaluation.from_cache = run.artifact.from_cache;
  run.evaluation.resources = heaviest_entry(run.artifact);
  run.evaluation.binary_hash = binary_identity(run.artifact, run.request.realized.plan);
  run.evaluation.launches = launches_text(run.artifact, run.request.realized.plan);
  run.add({name_of(gate::compile), true, run.artifact.compiler + (run.artifact.from_cache ? ", from the cache" : "")});
  if (!run.artifact.notes.empty())  // nothing is refused for them: the clock decides
    run.add({name_of(gate::compiler_notes), true, fmt::format("{}", fmt::join(run.artifact.notes, "; "))});
  return std::nullopt;
}

Settled gate_artifact(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  const Problem& problem = run.request.realized.problem;
  if (!run.artifact.listing.empty()) {
    GateResult listing = judge::policy_gate(judge::scan_ptx("PTX", read_file_if_any(run.artifact.listing).value_or("")),
                                            problem.policy, run.settings.policy_refuses);
    listing.name = name_of(gate::source_policy_ptx);
    if (Settled settled = run.add(std::move(listing))) return settled;
  }
  // A finalist's: a disassembler takes tenths of a second, and what it finds stood in the PTX before.
  if (run.request.confirm)
    run.disassembled = std::async(
        std::launch::async, [&kind = run.workers.kind, artifact = run.artifact] { return kind.disassemble(artifact); });
  if (Settled settled = run.add(check_entries(run.request.realized.plan, run.artifact))) return settled;
  if (Settled settled = run.add(check_arguments(run.request.realized, run.artifact))) return settled;
  if (run.add(check_resources(run.request.realized, run.artifact, run.workers.device)))
    return LaunchError{run.evaluation.gates.back().detail};
  if (Settled settled = run.add(check_state(run.artifact, problem, run.settings.policy_refuses))) return settled;
  if (run.request.recorded_with)
    if (const std::int64_t same = run.request.recorded_with(run.evaluation.binary_hash); same > 0)
      return NoEffect{same};
  run.subject = run.workers.make_subject(run.request.realized, run.artifact, run.request.admission);
  const std::int64_t limit = run.workers.device.memory_bytes / 4;
  if (limit > 0 && run.subject.executable.layout.bytes > limit)
    return OutOfMemory{fmt::format("its buffers take {} bytes; at most {} (a quarter of the device's memory) are given",
                                   run.subject.executable.layout.bytes, limit)};
  return std::nullopt;
}

Settled gate_preflight(EvaluationRun& run) {
  if (run.settings.preflight == nullptr) return std::nullopt;
  const Charge charge(run.evaluation.cost.gates_s);
  if (!run.preflight_point()) {
    const std::string& builder = run.request.realized.build.builder;
    run.add({name_of(gate::preflight), true,
             builder.empty() ? "no small point of the domain on the cpu device allows this candidate"
                             : "not checked: '" + builder + "' builds nothing for the cpu device",
             false});
    return std::nullopt;
  }
  // What this evaluation waits for comes before what may be asked next: both compilers want the same cores.
  const auto quiet = run.workers.builders.pause_speculative();
  const PreflightResult result =
      run.settings.preflight->check(*run.preflight_point(), run.request.admission, run.request.confirm);
  run.add(result.gate, false);
  return result.settled;
}

}  // namespace harness
