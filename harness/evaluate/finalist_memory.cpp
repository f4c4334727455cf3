#include "harness/evaluate/finalist_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/floor.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

// All memory checkers of a finalist together, seconds.
constexpr double kMemoryCheckSeconds = 40;

// On the cpu device compilers would take the cores that the next candidate is timed on.
bool may_become_a_finalist(const EvaluationRun& run) {
  const auto* passed = std::get_if<Passed>(&run.evaluation.outcome);
  if (run.request.confirm || run.request.gates_only || passed == nullptr || passed->timing.emulation) return false;
  return !passed->timing.verdict || *passed->timing.verdict == Comparison::faster;
}

}  // namespace

void announce_finalist(EvaluationRun& run) {
  if (!may_become_a_finalist(run)) return;
  run.workers.builders.submit(run.workers.kind.checked_build(run.request.realized.build), false);
  if (run.settings.preflight != nullptr && run.preflight_point())
    run.settings.preflight->announce(*run.preflight_point(), true);
}

const Realized& place_of_memory_check(const std::vector<Realized>& all, const Realized& otherwise,
                                      const DeviceInfo& device) {
  constexpr double kSmallWork = 2.5e7;
  std::vector<const Realized*> sorted;
  for (const Realized& each : all) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const Realized* a, const Realized* b) {
    return amount_of(a->problem.work) < amount_of(b->problem.work);
  });
  if (sorted.empty()) return otherwise;
  const auto large = std::partition_point(
      sorted.begin(), sorted.end(), [](const Realized* each) { return amount_of(each->problem.work) <= kSmallWork; });
  const std::size_t small = static_cast<std::size_t>(large - sorted.begin());
  const std::size_t from = device.emulation ? small / 2 : small == 0 ? 0 : small - 1;
  const auto filling = std::find_if(
      sorted.begin() + static_cast<std::ptrdiff_t>(from), sorted.end(),
      [&](const Realized* each) { return fills_device_twice(each->plan, device.multiprocessors, device.emulation); });
  return filling == sorted.end() ? *sorted[from] : **filling;
}

Settled gate_memory(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  if (!run.request.realized.plan.steps.empty() && !has_launch(run.request.realized.plan))
    return run.add({"memory", true, "the plan runs library code alone, whose memory nobody here can mend", false});
  const BuildResult built = run.workers.await(run.workers.kind.checked_build(run.request.realized.build));
  const auto* artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) return run.add({"memory", true, "the checked build failed", false});
  const Realized& realized = place_of_memory_check(run.neighbour_points(), run.request.realized, run.workers.device);
  const bool small = !run.neighbour_points().empty();
  Subject subject = run.workers.make_subject(realized, *artifact, run.request.admission);
  subject.trusted = run.workers.build_trusted(realized);
  run.workers.paint(subject, 0);
  const bool filled =
      fills_device_twice(realized.plan, run.workers.device.multiprocessors, run.workers.device.emulation);
  const std::string place = (small ? realized.problem.workload.name : "the timed size") +
                            std::string(filled ? " (twice the blocks that the device holds, or more)" : "");
  for (const MemoryCheck& check : check_memory(run.workers.kind, run.workers.target, subject.executable,
                                               subject.images[0], kMemoryCheckSeconds, run.workers.stop)) {
    const std::string name = "memory:" + check.tool;
    if (!check.checked) {
      run.add({name, true, "not checked: " + check.why, false});
      continue;
    }
    const std::vector<Finding> found = faults(check);
    if (found.empty()) {
      run.add({name, true, fmt::format("clean at {}, {:.1f} s", place, check.seconds)});
      continue;
    }
    std::string detail = fmt::format("at {}: {}", place, found.front().message);
    if (found.size() > 1) detail += fmt::format("; and {} more", found.size() - 1);
    if (Settled settled = run.add({name, false, detail})) return settled;
  }
  return std::nullopt;
}

}  // namespace harness
