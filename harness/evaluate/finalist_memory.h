#pragma once
#include <memory>

#include "harness/evaluate/evaluation_run.h"

namespace harness {

/// A small point of the domain tells a memory checker as much as the timed size in a hundredth of the time: a middle
/// one by work, or the largest of the small ones where instrumented code is not emulated. Emulated, it is the first
/// from there on that has twice as many blocks as the device holds at once.
const Realized& place_of_memory_check(const std::vector<Realized>& all, const Realized& otherwise,
                                      const DeviceInfo& device);

/// Where instrumented code is emulated: that point, and for each size the one of those that are quick enough which has
/// most of it. What only long rows reach is not seen at a point in the middle.
std::vector<const Realized*> places_of_memory_checks(const std::vector<Realized>& all, const Realized& otherwise,
                                                     const std::map<std::string, SizeRange>& sizes,
                                                     const DeviceInfo& device);

/// Begins the instrumented builds of what may become a finalist: they take seconds that nobody should wait for.
void announce_finalist(EvaluationRun& run);
/// Begins the build that a finalist's MemoryGate will wait for.
void announce_memory_gate(EvaluationRun& run);

/// Gates "memory:...": a finalist under every memory checker of the device, in processes of their own. Beside a GPU
/// they run from its birth on, while other sizes and forms are judged: nothing is timed meanwhile. On the cpu device,
/// where both would want the same cores, within finish().
class MemoryGate {
 public:
  explicit MemoryGate(EvaluationRun& run);
  ~MemoryGate();  // checks that nobody waits for are ended
  MemoryGate(const MemoryGate&) = delete;
  MemoryGate& operator=(const MemoryGate&) = delete;
  Settled finish();

 private:
  struct UnderWay;
  Settled begin();
  EvaluationRun& run_;
  Settled settled_;
  std::unique_ptr<UnderWay> under_way_;
};

/// Refuses a finalist that no checker has looked at, neither of this device nor in the pre-flight, though there is one:
/// what is not checked does not win.
Settled require_memory_check(EvaluationRun& run);

}  // namespace harness
