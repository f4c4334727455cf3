#include "harness/device/cuda/run/timed_plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace harness::cuda {
namespace {

constexpr double kGraphNs = 1e6;
constexpr int kMostLaunches = 64;  // in one burst

}  // namespace

std::int64_t calls_in_graph(double call_ns, std::int64_t sets) {
  const double calls = std::ceil(kGraphNs / std::max(call_ns, 100.0));
  return std::clamp<std::int64_t>(std::llround(calls), 1, std::min(sets, kMostCalls));
}

TimedPlan::TimedPlan(const DriverApi& api, Stream stream, const MeasuringKernels& kernels, LoadedPlan plan,
                     InputSets sets)
    : api_(api), stream_(stream), kernels_(kernels), plan_(std::move(plan)), sets_(std::move(sets)), events_(api) {
  call_ns_ = estimate_call_ns();
  calls_ = calls_in_graph(call_ns_, sets_.count());
  graph_ = capture_graph(api_, stream_, [&] {
    for (std::int64_t set = 0; set < calls_; ++set) enqueue_call(set);
  });
  launch_refreshed(0, nullptr);
}

double TimedPlan::estimate_call_ns() {
  for (int i = 0; i < 2; ++i) {  // the first call also loads code
    sets_.enqueue_refresh(0, 1, 0);
    events_.record_start(stream_);
    enqueue_call(0);
    events_.record_end(stream_);
    synchronize(api_, stream_);
  }
  constexpr double kLongNs = 2e5;
  return events_.ns() > kLongNs ? events_.ns() : estimate_in_graph_ns();
}

double TimedPlan::estimate_in_graph_ns() {
  const std::int64_t calls = std::min<std::int64_t>(20, sets_.count());
  const OwnedGraphExec graph = capture_graph(api_, stream_, [&] {
    for (std::int64_t set = 0; set < calls; ++set) enqueue_call(set);
  });
  for (int i = 0; i < 2; ++i) {
    sets_.enqueue_refresh(0, calls, 0);
    events_.record_start(stream_);
    check_launch(api_, api_.cuGraphLaunch(graph.get(), stream_), "cuGraphLaunch");
    events_.record_end(stream_);
    synchronize(api_, stream_);
  }
  return events_.ns() / static_cast<double>(calls);
}

void TimedPlan::enqueue_refresh(std::int64_t set, bool warm) {
  kernels_.release_persisting();
  sets_.enqueue_refresh(set, 1, 0);
  if (!warm) kernels_.enqueue_flush(stream_);
}

/// The graph on fresh sets, to its end: nanoseconds. The GPU has the refresh to do while the graph is being launched.
double TimedPlan::launch_refreshed(std::int64_t phase, const ClockReader* clock) {
  kernels_.release_persisting();
  sets_.enqueue_refresh(0, calls_, phase);
  kernels_.enqueue_flush(stream_);
  events_.record_start(stream_);
  check_launch(api_, api_.cuGraphLaunch(graph_.get(), stream_), "cuGraphLaunch");
  events_.record_end(stream_);
  if (clock) clocks_mhz_.push_back(clock->sm_clock_mhz());  // while the GPU works
  synchronize(api_, stream_);
  return events_.ns();
}

/// Whether a call is audited is decided after it ran.
void TimedPlan::launch_timed(const ClockReader& clock) {
  samples_ns_.push_back(launch_refreshed(phase_, &clock) / static_cast<double>(calls_));
  sets_.enqueue_audit(calls_, phase_);
  phase_ = (phase_ + 1) % sets_.images();
}

void TimedPlan::run_burst(double seconds, const ClockReader& clock) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::steady_clock::now() - start >= std::chrono::duration<double>(seconds);
  };
  if (call_ns_ * static_cast<double>(calls_) * 1e-9 < seconds / 4) launch_refreshed(phase_, nullptr);
  int launches = 0;
  do launch_timed(clock);
  while (++launches < kMostLaunches && !is_over());
  ++bursts_;
}

void TimedPlan::complete_audit(const ClockReader& clock) {
  while (!sets_.audited()) launch_timed(clock);
}

std::vector<double> TimedPlan::time_one_set() {
  const std::int64_t calls = std::min<std::int64_t>(calls_, 100);
  const OwnedGraphExec graph = capture_graph(api_, stream_, [&] {
    for (std::int64_t call = 0; call < calls; ++call) enqueue_call(0);
  });
  enqueue_refresh(0, true);
  constexpr int kSamples = 5;
  constexpr double kLongNs = 1e9;
  std::vector<double> samples;
  for (int i = 0; i <= kSamples; ++i) {  // the first warms
    if (i > 1 && call_ns_ * static_cast<double>(i * calls) > kLongNs) break;
    events_.record_start(stream_);
    check_launch(api_, api_.cuGraphLaunch(graph.get(), stream_), "cuGraphLaunch");
    events_.record_end(stream_);
    synchronize(api_, stream_);
    if (i > 0) samples.push_back(events_.ns() / static_cast<double>(calls));
  }
  return samples;
}

std::vector<double> TimedPlan::clocks_mhz() const {
  std::vector<double> known;
  for (const auto& mhz : clocks_mhz_) {
    if (mhz) known.push_back(*mhz);
  }
  return known.size() == clocks_mhz_.size() ? known : std::vector<double>{};
}

}  // namespace harness::cuda
