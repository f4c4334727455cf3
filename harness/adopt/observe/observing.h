#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/observe/subject.h"
#include "harness/core/error.h"
#include "harness/core/observation.h"

namespace harness::adopt {

/// What an attempt to understand a kernel works with, and so each guess that makes attempts. All of it outlives it.
class Observing {
 public:
  Observing(AdoptedKernel& kernel, const Subject& subject, Observer& observer, const Artifact& artifact, Seen& seen)
      : kernel_(kernel), subject_(subject), observer_(observer), artifact_(artifact), seen_(seen) {}

  /// The same device and subject, with another idea of the kernel.
  Observing with_kernel(AdoptedKernel& kernel) const { return {kernel, subject_, observer_, artifact_, seen_}; }

  AdoptedKernel& kernel() const { return kernel_; }
  const Subject& subject() const { return subject_; }

  /// What a search may still spend, in launches of a few threads. No clock: a busy machine must find the same.
  class Budget {
   public:
    Budget(const Seen& seen, double effort) : seen_(seen), end_(seen.effort + effort) {}
    bool spent() const { return seen_.effort > end_; }

   private:
    const Seen& seen_;
    double end_;
  };
  Budget budget(double effort) const { return {seen_, effort}; }

 protected:
  std::vector<Observation> look(const std::vector<ObservedLaunch>& launches) const {
    seen_.runs += static_cast<int>(launches.size());
    for (const ObservedLaunch& observed : launches) seen_.effort += effort_of(observed);
    std::vector<Observation> observed = observer_.run(artifact_, launches);
    note_hints(observed);
    constexpr int kMostEndless = 3;
    const bool endless = std::ranges::any_of(observed, &Observation::endless);
    const bool brief = !launches.empty() && launches.front().deadline_s < ObservedLaunch{}.deadline_s;  // may fail
    if (endless && !brief && ++seen_.endless > kMostEndless)
      throw bad_input(fmt::format(
          "launches of '{}' do not end at sizes that were tried: {} times one was stopped after {} s; give its sizes "
          "with --arg and --size, or its launch with --grid and --block",
          kernel_.shown_name(), seen_.endless, launches.front().deadline_s));
    return observed;
  }

  /// The first one, which stands for the others.
  void note_hints(const std::vector<Observation>& observed) const {
    for (const Observation& each : observed)
      if (!each.hints.empty() && seen_.undefined.empty())
        seen_.undefined = each.hints.front() + ": a GPU leaves that value undefined";
  }

  /// 1 of a launch of a few threads, which costs what it takes to begin; 9 of the largest at small sizes.
  static double effort_of(const ObservedLaunch& observed) {
    constexpr double kThreadsOfOne = 2048;
    const Dim3 &grid = observed.launch.grid, &block = observed.launch.block;
    return 1 + 1.0 * grid.x * grid.y * grid.z * block.x * block.y * block.z / kThreadsOfOne;
  }

  AdoptedKernel& kernel_;
  const Subject& subject_;
  Observer& observer_;
  const Artifact& artifact_;
  Seen& seen_;
};

inline bool ended_well(const Observation& observed) {
  return observed.failure.empty() && observed.findings.empty();
}

}  // namespace harness::adopt
