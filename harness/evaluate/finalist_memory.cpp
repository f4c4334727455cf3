#include "harness/evaluate/finalist_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>

#include "harness/core/first_error.h"
#include "harness/core/floor.h"
#include "harness/core/gates.h"
#include "harness/evaluate/gates.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

// All memory checkers of a finalist together, and the one that meets a full device, seconds.
constexpr double kMemoryCheckSeconds = 20, kFullDeviceSeconds = 20;

// Of a point that instrumented code gets through in seconds.
constexpr double kSmallWork = 2.5e7;

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
  for (const Realized& point : all) sorted.push_back(&point);
  std::sort(sorted.begin(), sorted.end(), [](const Realized* a, const Realized* b) {
    return amount_of(a->problem.work) < amount_of(b->problem.work);
  });
  return sorted;
}

/// The place among those sorted by work: a middle one of the small ones, or the largest of them where instrumented code
/// is not emulated.
std::size_t small_place(const std::vector<const Realized*>& sorted, const DeviceInfo& device) {
  const auto large = std::partition_point(
      sorted.begin(), sorted.end(), [](const Realized* point) { return amount_of(point->problem.work) <= kSmallWork; });
  const auto small = static_cast<std::size_t>(large - sorted.begin());
  return device.emulation ? small / 2 : small == 0 ? 0 : small - 1;
}

/// The first of those from `from` on that has twice as many blocks as the device holds at once: only then are blocks
/// given places that others have left. Null: none has.
const Realized* first_full(const std::vector<const Realized*>& sorted, std::size_t from, const DeviceInfo& device) {
  const auto full = std::find_if(sorted.begin() + static_cast<std::ptrdiff_t>(from), sorted.end(),
                                 [&](const Realized* point) { return fills(*point, device); });
  return full == sorted.end() ? nullptr : *full;
}

}  // namespace

/// The tools that were asked, at one point. They run in processes of their own from `begin` on.
class PointCheck {
 public:
  PointCheck(EvaluationRun& run, const Artifact& artifact, const Realized& realized, MemoryTools tools, double seconds,
             const std::atomic<bool>& ended)
      : run_(run),
        ended_(ended),
        subject_(run.workers.make_subject(realized, artifact, run.request.admission)),
        place_((&realized == &run.request.realized ? "the timed size" : realized.problem.workload.name) +
               (fills(realized, run.workers.device) ? " (twice the blocks that the device holds, or more)" : "")),
        tools_(tools),
        seconds_(seconds) {
    subject_.trusted = run.workers.build_trusted(realized);
    run.workers.paint(subject_, 0);
  }
  void begin() {
    checks_ = std::async(std::launch::async, [this] {
      const auto stop = [this] { return ended_ || (run_.workers.stop && run_.workers.stop()); };
      return check_memory(run_.workers.kind, run_.workers.target, subject_.executable, subject_.images[0], seconds_,
                          stop, tools_);
    });
  }
  Settled add_rows() {
    for (const MemoryCheck& check : checks_.get())
      if (Settled settled = add(check)) return settled;
    return std::nullopt;
  }

 private:
  Settled add(const MemoryCheck& check) {
    const std::string name = name_of(gate::memory, check.tool);
    run_.memory_checker_exists = run_.memory_checker_exists || check.available;
    if (!check.checked) return run_.add({name, true, fmt::format("not checked at {}: {}", place_, check.why), false});
    const std::vector<Finding> faults_seen = faults(check);
    if (faults_seen.empty()) return run_.add({name, true, fmt::format("clean at {}, {:.1f} s", place_, check.seconds)});
    std::string detail = fmt::format("at {}: {}", place_, faults_seen.front().message);
    if (faults_seen.size() > 1) detail += fmt::format("; and {} more", faults_seen.size() - 1);
    return run_.add({name, false, detail});
  }

  EvaluationRun& run_;
  const std::atomic<bool>& ended_;
  Subject subject_;
  std::string place_;
  MemoryTools tools_;
  double seconds_;
  std::future<std::vector<MemoryCheck>> checks_;  // last: its end waits for what uses the others
};

const Realized& place_of_memory_check(const std::vector<Realized>& all, const Realized& otherwise,
                                      const DeviceInfo& device) {
  const std::vector<const Realized*> sorted = by_work(all);
  if (sorted.empty()) return otherwise;
  const std::size_t small = small_place(sorted, device);
  const Realized* const full = device.emulation ? first_full(sorted, small, device) : nullptr;
  return full == nullptr ? *sorted[small] : *full;
}

std::vector<const Realized*> places_of_memory_checks(const std::vector<Realized>& all, const Realized& otherwise,
                                                     const std::map<std::string, SizeRange>& sizes,
                                                     const DeviceInfo& device) {
  std::vector<const Realized*> places{&place_of_memory_check(all, otherwise, device)};
  if (!device.emulation) return places;
  for (const auto& [size, range] : sizes) {
    const auto amount_at = [&size = size](const Realized& point) {
      const auto field = point.problem.workload.values.find(size);
      const auto* const whole =
          field == point.problem.workload.values.end() ? nullptr : std::get_if<std::int64_t>(&field->second);
      return whole == nullptr ? std::int64_t{0} : *whole;
    };
    const Realized* most = places.front();
    for (const Realized& point : all)
      if (amount_of(point.problem.work) <= kSmallWork && amount_at(point) > amount_at(*most)) most = &point;
    if (std::ranges::find(places, most) == places.end()) places.push_back(most);
  }
  return places;
}

void announce_finalist(EvaluationRun& run) {
  if (!may_become_a_finalist(run)) return;
  run.workers.builders.submit(run.workers.kind.checked_build(run.request.realized.build), false);
  if (run.settings.preflight != nullptr && run.preflight_point())
    run.settings.preflight->announce(*run.preflight_point(), true);
}

void announce_memory_gate(EvaluationRun& run) {
  if (run.request.confirm && !run.workers.native())
    run.workers.builders.submit(run.workers.kind.checked_build(run.request.realized.build), false);
}

struct MemoryGate::UnderWay {
  std::atomic<bool> ended = false;
  std::deque<PointCheck> checks;  // last: their end waits
};

MemoryGate::MemoryGate(EvaluationRun& run) : run_(run) {
  if (!run.workers.native()) settled_ = begin();
}

MemoryGate::~MemoryGate() {
  if (under_way_) under_way_->ended = true;
}

// A tool that watches a GPU slows some kernels down a thousand times: all of them meet a small point, and the quickest
// of them the smallest point that fills the device. Both at once.
Settled MemoryGate::begin() {
  const Charge charge(run_.evaluation.cost.gates_s);
  under_way_ = std::make_unique<UnderWay>();
  if (!run_.request.realized.plan.steps.empty() && !has_launch(run_.request.realized.plan))
    return run_.add(
        {name_of(gate::memory), true, "the plan runs library code alone, whose memory nobody here can mend", false});
  const BuildResult built = run_.workers.await(run_.workers.kind.checked_build(run_.request.realized.build));
  const auto* artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) {
    const std::string error = first_error(std::get<CompileFailure>(built).log);
    return run_.add(
        {name_of(gate::memory), false,
         "not checked: it compiles, and with the checks it does not" + (error.empty() ? "" : ": " + error)});
  }
  const DeviceInfo& device = run_.workers.device;
  const std::vector<const Realized*> places =
      places_of_memory_checks(run_.neighbour_points(), run_.request.realized, run_.size_ranges(), device);
  const Realized* const full = device.emulation || fills(*places.front(), device)
                                   ? nullptr
                                   : first_full(by_work(run_.neighbour_points()), 0, device);
  std::deque<PointCheck>& checks = under_way_->checks;
  const auto add = [&](const Realized& place, MemoryTools tools, double seconds) {
    CompileFailure failure;  // of another module of the same text, which its launches are refused for
    const Artifact* const its =
        place.build.uses == run_.request.realized.build.uses ? artifact : run_.artifact_at(place, failure);
    if (its != nullptr) checks.emplace_back(run_, *its, place, tools, seconds, under_way_->ended);
  };
  for (const Realized* const place : places) add(*place, MemoryTools::all, kMemoryCheckSeconds);
  if (full != nullptr) add(*full, MemoryTools::quickest, kFullDeviceSeconds);
  for (PointCheck& check : checks) check.begin();
  return std::nullopt;
}

Settled MemoryGate::finish() {
  if (!under_way_) settled_ = begin();
  const Charge charge(run_.evaluation.cost.gates_s);
  if (settled_) return settled_;
  for (PointCheck& check : under_way_->checks)
    if (Settled settled = check.add_rows()) return settled;
  return std::nullopt;
}

Settled require_memory_check(EvaluationRun& run) {
  if (!run.memory_checker_exists) return std::nullopt;
  const auto looked_at = [](const GateResult& result) {
    const Gate* const row = find_gate(result.name);
    return result.checked && (row == &gate::memory || row == &gate::preflight);
  };
  if (std::ranges::any_of(run.evaluation.gates, looked_at)) return std::nullopt;
  return run.add({name_of(gate::memory), false,
                  "not checked: no memory checker came to its end, and what none has looked at does not win"});
}

}  // namespace harness
