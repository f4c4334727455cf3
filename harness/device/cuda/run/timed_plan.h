#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cuda/run/gpu_state.h"
#include "harness/device/cuda/run/graphs.h"
#include "harness/device/cuda/run/input_sets.h"
#include "harness/device/cuda/run/loaded_plan.h"
#include "harness/device/cuda/run/timed_audit.h"
#include "harness/device/cuda/run/timed_contender.h"

namespace harness::cuda {

/// Calls in a timed graph, each on a set of its own: about a millisecond of them, because the events around a graph add
/// 2 us; as many as there are sets at most.
std::int64_t calls_in_graph(double call_ns, std::int64_t sets);

/// One of the plans that are timed against each other: its graph, its input sets and its samples.
class TimedPlan : public TimedContender {
 public:
  /// Runs the plan a few times to see how long it takes, captures the graph and launches it once. A fault of the
  /// kernels shows here at the latest. `kernels` must outlive this.
  TimedPlan(const DriverApi& api, Stream stream, const MeasuringKernels& kernels, LoadedPlan plan, InputSets sets,
            TimedAudit audit);

  /// Launches the graph again and again for about `seconds`, each time on fresh sets and with nothing of them in the
  /// L2. The first launch of a burst finds an idle GPU and is not counted, unless it takes long.
  void run_burst(double seconds, const ClockReader& clock) override;
  std::vector<double> time_cold(std::int64_t sample, const SingleCallTimer& timer) override;
  std::vector<double> time_warm() override;
  std::vector<double> time_single_warm(const SingleCallTimer& timer) override;
  std::string method(const SingleCallTimer* timer) const override;
  void tell(Samples& samples) const override;

  /// Calls on the set 0 alone, made anew once: nanoseconds per call, few samples.
  std::vector<double> time_one_set();

  void enqueue_call(std::int64_t set) const { plan_.enqueue(stream_, sets_.address(set)); }
  /// One set with draws of its own; also empties the L2 of it unless it is to stay `warm`.
  DrawnSets enqueue_fresh(std::int64_t set, bool warm);
  /// After the timed calls of this kind on the sets of `drawn`: keeps some, and launches the same draws again
  /// elsewhere.
  void audit(CallKind kind, const DrawnSets& drawn);
  /// Waits. Throws DeviceFault if a call has changed a `__constant__` variable.
  void check_constants() const override { plan_.check_constants(stream_); }
  const TimedAudit& audit() const { return audit_; }
  const InputSets& sets() const { return sets_; }
  std::int64_t calls() const override { return calls_; }
  double call_ns() const { return call_ns_; }
  /// A call takes so long that nothing beside it matters: a few launches say all, and each costs a candidate's time.
  bool is_slow() const { return call_ns_ > kSlowNs; }
  /// What lies in the L2 when a call begins is nothing to it: cold and warm calls tell no more than others.
  bool is_very_slow() const { return call_ns_ > kVerySlowNs; }
  int bursts() const { return bursts_; }
  const std::vector<double>& samples_ns() const override { return samples_ns_; }
  /// One for each sample; empty if the clock was unknown once.
  std::vector<double> clocks_mhz() const override;

 private:
  static constexpr double kSlowNs = 1e8, kVerySlowNs = 5e8;
  void fill_constants();
  double estimate_call_ns();
  double estimate_in_graph_ns();
  void launch_all(const DrawnSets& drawn, const ClockReader* clock);
  void launch_timed(const ClockReader& clock);

  const DriverApi& api_;
  Stream stream_;
  const MeasuringKernels& kernels_;
  LoadedPlan plan_;
  InputSets sets_;
  TimedAudit audit_;
  EventPair events_;
  double call_ns_ = 0;
  std::int64_t calls_ = 1;
  OwnedGraphExec graph_;
  std::int64_t phase_ = 0;  // of the next launch
  int bursts_ = 0;
  std::vector<double> samples_ns_;
  std::vector<std::optional<double>> clocks_mhz_;
};

}  // namespace harness::cuda
