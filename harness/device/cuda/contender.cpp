#include "harness/device/cuda/contender.h"

#include <algorithm>
#include <cmath>

namespace harness::cuda {
namespace {

constexpr double kGraphNs = 5e5;
constexpr double kCycleNs = 5e7;
constexpr std::size_t kMostLaunches = 64;  // in one burst

}  // namespace

GraphShape graph_shape(double call_ns, std::int64_t sets, bool restored) {
  const double time = std::max(call_ns, 100.0);
  std::int64_t calls = std::clamp<std::int64_t>(std::llround(std::ceil(kGraphNs / time)), 1, 1000);
  if (time < 5e4) calls = std::max<std::int64_t>(calls, 20);
  if (calls >= sets) return {restored ? sets : calls / sets * sets, 1};
  const auto affordable = std::max<std::int64_t>(4, std::llround(kCycleNs / (time * static_cast<double>(calls))));
  if (sets / calls > affordable) return {calls, affordable};
  const std::int64_t graphs = sets / calls;
  return {sets / graphs, graphs};
}

Contender::Contender(const DriverApi& api, Stream stream, LoadedPlan plan, InputSets sets)
    : api_(api), stream_(stream), plan_(std::move(plan)), sets_(std::move(sets)) {
  call_ns_ = estimate_call_ns();
  shape_ = graph_shape(call_ns_, sets_.count(), sets_.has_restored());
  for (std::int64_t graph = 0; graph < shape_.graphs; ++graph) graphs_.push_back(capture(graph));
  for (std::size_t i = 0; i < graphs_.size(); ++i) launch_next(nullptr);
  synchronize(api_, stream_);
}

std::int64_t Contender::set_of(std::int64_t graph, std::int64_t call) const {
  return (graph * shape_.calls + call) % sets_.count();
}

double Contender::estimate_call_ns() {
  const EventPair events(api_);
  for (int i = 0; i < 2; ++i) {  // the first call also loads code
    events.record_start(stream_);
    enqueue_call(0);
    events.record_end(stream_);
    enqueue_restore(0);
    synchronize(api_, stream_);
  }
  constexpr double kLongNs = 2e5;
  return events.ns() > kLongNs ? events.ns() : estimate_in_graph_ns();
}

double Contender::estimate_in_graph_ns() {
  const std::int64_t calls = std::min<std::int64_t>(20, sets_.count());
  const OwnedGraphExec graph = capture_graph(api_, stream_, [&] {
    for (std::int64_t set = 0; set < calls; ++set) enqueue_call(set);
  });
  const EventPair events(api_);
  for (int i = 0; i < 2; ++i) {
    events.record_start(stream_);
    launch(graph);
    events.record_end(stream_);
    for (std::int64_t set = 0; set < calls; ++set) enqueue_restore(set);
    synchronize(api_, stream_);
  }
  return events.ns() / static_cast<double>(calls);
}

Contender::RotationGraph Contender::capture(std::int64_t graph) {
  RotationGraph captured;
  captured.calls = capture_graph(api_, stream_, [&] {
    for (std::int64_t call = 0; call < shape_.calls; ++call) enqueue_call(set_of(graph, call));
  });
  if (sets_.has_restored()) {
    captured.restore = capture_graph(api_, stream_, [&] {
      for (std::int64_t call = 0; call < shape_.calls; ++call) enqueue_restore(set_of(graph, call));
    });
  }
  return captured;
}

void Contender::launch(const OwnedGraphExec& graph) const {
  check_launch(api_, api_.cuGraphLaunch(graph.get(), stream_), "cuGraphLaunch");
}

/// Restores right after use: by the time the set comes round again its pristine lines have left the L2, too.
void Contender::launch_next(const EventPair* events) {
  const RotationGraph& graph = graphs_[next_graph_];
  next_graph_ = (next_graph_ + 1) % graphs_.size();
  if (events) events->record_start(stream_);
  launch(graph.calls);
  if (events) events->record_end(stream_);
  if (graph.restore) launch(graph.restore);
}

void Contender::run_burst(double seconds, const ClockReader& clock, std::vector<EventPair>& events) {
  const double graph_s = call_ns_ * static_cast<double>(shape_.calls) * 1e-9;
  const auto launches =
      static_cast<std::size_t>(std::clamp(std::ceil(seconds / graph_s), 1.0, static_cast<double>(kMostLaunches)));
  while (events.size() < launches) events.emplace_back(api_);
  if (launches >= 4) launch_next(nullptr);
  for (std::size_t i = 0; i < launches; ++i) launch_next(&events[i]);
  const std::optional<double> mhz = clock.sm_clock_mhz();  // while the GPU works
  synchronize(api_, stream_);
  for (std::size_t i = 0; i < launches; ++i) {
    samples_ns_.push_back(events[i].ns() / static_cast<double>(shape_.calls));
    clocks_mhz_.push_back(mhz);
  }
  ++bursts_;
}

std::vector<double> Contender::time_one_set(std::int64_t set) {
  const std::int64_t calls = std::min<std::int64_t>(shape_.calls, 100);
  const OwnedGraphExec graph = capture_graph(api_, stream_, [&] {
    for (std::int64_t call = 0; call < calls; ++call) enqueue_call(set);
  });
  constexpr int kSamples = 5;
  std::vector<EventPair> events;
  for (int i = 0; i < kSamples; ++i) events.emplace_back(api_);
  launch(graph);
  for (const EventPair& pair : events) {
    pair.record_start(stream_);
    launch(graph);
    pair.record_end(stream_);
  }
  synchronize(api_, stream_);
  std::vector<double> samples;
  for (const EventPair& pair : events) samples.push_back(pair.ns() / static_cast<double>(calls));
  return samples;
}

std::vector<double> Contender::clocks_mhz() const {
  std::vector<double> known;
  for (const auto& mhz : clocks_mhz_) {
    if (mhz) known.push_back(*mhz);
  }
  return known.size() == clocks_mhz_.size() ? known : std::vector<double>{};
}

}  // namespace harness::cuda
