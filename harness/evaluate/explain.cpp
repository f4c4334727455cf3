#include "harness/evaluate/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/system/awake_clock.h"
#include "harness/worker/memory/memory_check.h"

namespace harness {
namespace {

/// What is a cause comes before what follows from it: memory that nobody wrote is often memory not written yet.
std::size_t rank(const Finding& finding) {
  static constexpr const char* kOrder[] = {"barrier_divergence", "race",  "out_of_bounds", "misaligned",
                                           "uninitialized",      "other", "inactive_lane"};
  return static_cast<std::size_t>(std::ranges::find(kOrder, finding.kind) - std::begin(kOrder));
}

}  // namespace

std::string first_finding(const std::vector<MemoryCheck>& checks) {
  const Finding* first = nullptr;
  std::size_t count = 0;
  for (const MemoryCheck& check : checks) {
    for (const Finding& finding : check.findings) {
      ++count;
      if (first == nullptr || rank(finding) < rank(*first)) first = &finding;
    }
  }
  if (first == nullptr) return "";
  return first->message + (count > 1 ? fmt::format(" (and {} more)", count - 1) : "");
}

std::optional<std::string> explain_by_checker(WorkerPool& workers, const std::vector<CheckedPlace>& places,
                                              const Admission* admission, double seconds) {
  if (places.empty()) return std::nullopt;
  const BuildResult built = workers.await(workers.kind.checked_build(places.front().realized->build));
  const auto* const artifact = std::get_if<Artifact>(&built);
  if (artifact == nullptr) return std::nullopt;
  const double end = awake_seconds() + seconds;
  for (const CheckedPlace& place : places) {
    const double left = end - awake_seconds();
    if (left <= 0) break;
    Subject subject = workers.make_subject(*place.realized, *artifact, admission);
    subject.trusted = workers.build_trusted(*place.realized);
    workers.paint(subject, 0, place.form);
    const std::string finding = first_finding(
        check_memory(workers.kind, workers.target, subject.executable, subject.images[0], left, workers.stop));
    if (workers.stop && workers.stop()) throw InterruptedWork{};
    if (!finding.empty()) return fmt::format("at {}: {}", place.realized->problem.workload.name, finding);
  }
  return std::nullopt;
}

}  // namespace harness
