#include "harness/evaluate/finalist_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/floor.h"
#include "harness/evaluate/gates.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

// All memory checkers of a finalist together, and the one that meets a full device, seconds.
constexpr double kMemoryCheckSeconds = 20, kFullDeviceSeconds = 20;

// On the cpu device compilers would take the cores that the next candidate is timed on.
bool may_become_a_finalist(const EvaluationRun& run) {
  const auto* passed = std::get_if<Passed>(&run.evaluation.outcome);
  if (run.request.confirm || run.request.gates_only || passed == nullptr || passed->timing.emulation) return false;
  return !passed->timing.verdict || *passed->timing.verdict == Comparison::faster;
}

bool fills(const Realized& realized, const DeviceInfo& device) {
  return fills_device_twice(realized.plan, device.multiprocessors, device.emulation);
}

std::vector<const Realized*> by_work(const std::vector<Realized>& all) {
  std::vector<const Realized*> sorted;
  for (const Realized& each : all) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const Realized* a, const Realized* b) {
    return amount_of(a->problem.work) < amount_of(b->problem.work);
  });
  return sorted;
}

/// The place among those sorted by work: a middle one of the small ones, or the largest of them where instrumented code
/// is not emulated.
std::size_t small_place(const std::vector<const Realized*>& sorted, const DeviceInfo& device) {
  constexpr double kSmallWork = 2.5e7;
  const auto large = std::partition_point(
      sorted.begin(), sorted.end(), [](const Realized* each) { return amount_of(each->problem.work) <= kSmallWork; });
  const auto small = static_cast<std::size_t>(large - sorted.begin());
  return device.emulation ? small / 2 : small == 0 ? 0 : small - 1;
}

/// The first of those from `from` on that has twice as many blocks as the device holds at once: only then are blocks
/// given places that others have left. Null: none has.
const Realized* first_full(const std::vector<const Realized*>& sorted, std::size_t from, const DeviceInfo& device) {
  const auto full = std::find_if(sorted.begin() + static_cast<std::ptrdiff_t>(from), sorted.end(),
                                 [&](const Realized* each) { return fills(*each, device); });
  return full == sorted.end() ? nullptr : *full;
}

struct CheckedBuild {
  EvaluationRun& run;
  const Artifact& artifact;

  /// The rows of the tools that were asked, at one point.
  Settled at(const Realized& realized, MemoryTools tools, double seconds) const {
    Subject subject = run.workers.make_subject(realized, artifact, run.request.admission);
    subject.trusted = run.workers.build_trusted(realized);
    run.workers.paint(subject, 0);
    const std::string place =
        (&realized == &run.request.realized ? "the timed size" : realized.problem.workload.name) +
        std::string(fills(realized, run.workers.device) ? " (twice the blocks that the device holds, or more)" : "");
    for (const MemoryCheck& check : check_memory(run.workers.kind, run.workers.target, subject.executable,
                                                 subject.images[0], seconds, run.workers.stop, tools))
      if (Settled settled = add(check, place)) return settled;
    return std::nullopt;
  }

  Settled add(const MemoryCheck& check, const std::string& place) const {
    const std::string name = "memory:" + check.tool;
    if (!check.checked) return run.add({name, true, fmt::format("not checked at {}: {}", place, check.why), false});
    const std::vector<Finding> found = faults(check);
    if (found.empty()) return run.add({name, true, fmt::format("clean at {}, {:.1f} s", place, check.seconds)});
    std::string detail = fmt::format("at {}: {}", place, found.front().message);
    if (found.size() > 1) detail += fmt::format("; and {} more", found.size() - 1);
    return run.add({name, false, detail});
  }
};

}  // namespace

const Realized& place_of_memory_check(const std::vector<Realized>& all, const Realized& otherwise,
                                      const DeviceInfo& device) {
  const std::vector<const Realized*> sorted = by_work(all);
  if (sorted.empty()) return otherwise;
  const std::size_t small = small_place(sorted, device);
  const Realized* const full = device.emulation ? first_full(sorted, small, device) : nullptr;
  return full == nullptr ? *sorted[small] : *full;
}

void announce_finalist(EvaluationRun& run) {
  if (!may_become_a_finalist(run)) return;
  run.workers.builders.submit(run.workers.kind.checked_build(run.request.realized.build), false);
  if (run.settings.preflight != nullptr && run.preflight_point())
    run.settings.preflight->announce(*run.preflight_point(), true);
}

// A tool that watches a GPU slows some kernels down a thousand times: all of them meet a small point, and the quickest
// of them the smallest point that fills the device.
Settled gate_memory(EvaluationRun& run) {
  const Charge charge(run.evaluation.cost.gates_s);
  if (!run.request.realized.plan.steps.empty() && !has_launch(run.request.realized.plan))
    return run.add({"memory", true, "the plan runs library code alone, whose memory nobody here can mend", false});
  const BuildResult built = run.workers.await(run.workers.kind.checked_build(run.request.realized.build));
  const auto* artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) return run.add({"memory", true, "the checked build failed", false});
  const DeviceInfo& device = run.workers.device;
  const CheckedBuild checked{run, *artifact};
  const Realized& place = place_of_memory_check(run.neighbour_points(), run.request.realized, device);
  if (Settled settled = checked.at(place, MemoryTools::all, kMemoryCheckSeconds)) return settled;
  if (device.emulation || fills(place, device)) return std::nullopt;
  const Realized* const full = first_full(by_work(run.neighbour_points()), 0, device);
  return full == nullptr ? std::nullopt : checked.at(*full, MemoryTools::quickest, kFullDeviceSeconds);
}

}  // namespace harness
