#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/device/cuda/gpu_state.h"
#include "harness/device/cuda/graphs.h"
#include "harness/device/cuda/input_sets.h"
#include "harness/device/cuda/loaded_plan.h"

namespace harness::cuda {

/// How calls are laid out over graphs: `graphs` graphs of `calls` calls each. Call k of graph g uses input set
/// (g * calls + k) modulo the number of sets.
struct GraphShape {
  std::int64_t calls = 1, graphs = 1;
};

/// A graph lasts about half a millisecond, and has 20 calls or more when they are short, because the events around it
/// add 2 us. No set is used again before the others were. Graphs of all sets together last at most about 50 ms. With
/// `restored` no set is used twice in a graph, for only between graphs can it be made pristine.
GraphShape graph_shape(double call_ns, std::int64_t sets, bool restored);

/// One of the plans that are timed against each other: its graphs, where its rotation stands, and its samples.
class Contender {
 public:
  /// Runs the plan a few times to see how long it takes, captures the graphs and launches each once. A fault of the
  /// kernels shows here at the latest.
  Contender(const DriverApi& api, Stream stream, LoadedPlan plan, InputSets sets);

  /// Launches graphs for about `seconds` of device time and waits. The first launch of a burst finds an idle GPU and is
  /// not counted, unless graphs are long.
  void run_burst(double seconds, const ClockReader& clock, std::vector<EventPair>& events);

  /// Calls on the set `set` alone, with nothing restored between them: nanoseconds per call, few samples.
  std::vector<double> time_one_set(std::int64_t set);

  void enqueue_call(std::int64_t set) const { plan_.enqueue(stream_, sets_.address(set)); }
  void enqueue_restore(std::int64_t set) const { sets_.enqueue_restore(stream_, set); }
  const InputSets& sets() const { return sets_; }
  GraphShape shape() const { return shape_; }
  double call_ns() const { return call_ns_; }
  int bursts() const { return bursts_; }
  const std::vector<double>& samples_ns() const { return samples_ns_; }
  /// One for each sample; empty if the clock was unknown once.
  std::vector<double> clocks_mhz() const;

 private:
  struct RotationGraph {
    OwnedGraphExec calls;
    OwnedGraphExec restore;  // empty when nothing is restored
  };
  std::int64_t set_of(std::int64_t graph, std::int64_t call) const;
  double estimate_call_ns();
  double estimate_in_graph_ns();
  RotationGraph capture(std::int64_t graph);
  void launch(const OwnedGraphExec& graph) const;
  void launch_next(const EventPair* events);

  const DriverApi& api_;
  Stream stream_;
  LoadedPlan plan_;
  InputSets sets_;
  double call_ns_ = 0;
  GraphShape shape_;
  std::vector<RotationGraph> graphs_;
  std::size_t next_graph_ = 0;
  int bursts_ = 0;
  std::vector<double> samples_ns_;
  std::vector<std::optional<double>> clocks_mhz_;
};

}  // namespace harness::cuda
