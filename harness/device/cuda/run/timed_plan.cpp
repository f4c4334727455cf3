#include "harness/device/cuda/run/timed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "harness/device/cuda/run/timing_run.h"

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
                     InputSets sets, TimedAudit audit)
    : api_(api),
      stream_(stream),
      kernels_(kernels),
      plan_(std::move(plan)),
      sets_(std::move(sets)),
      audit_(std::move(audit)),
      events_(api) {
  fill_constants();
  call_ns_ = estimate_call_ns();
  if (is_very_slow()) {  // what the first call adds, or finds in the L2, is nothing to it: it is a sample
    samples_ns_.push_back(call_ns_);
    clocks_mhz_.emplace_back();
  }
  calls_ = calls_in_graph(call_ns_, sets_.count());
  graph_ = capture_graph(api_, stream_, [&] {
    for (std::int64_t set = 0; set < calls_; ++set) enqueue_call(set);
  });
  if (!is_slow()) launch_all(sets_.fresh(0, calls_, phase_), nullptr);
}

/// Once, for all sets: what fills a variable is the same in all of them (ImageBuffer::constant).
void TimedPlan::fill_constants() {
  if (plan_.executable().plan.constants.empty()) return;
  sets_.enqueue_refresh(sets_.fresh(0, 1, 0));
  plan_.fill_constants(stream_, sets_.address(0));
}

double TimedPlan::estimate_call_ns() {
  for (int i = 0; i < 2; ++i) {  // the first call also loads code
    sets_.enqueue_refresh(sets_.fresh(0, 1, 0));
    events_.record_start(stream_);
    enqueue_call(0);
    events_.record_end(stream_);
    synchronize(api_, stream_);
    if (events_.ns() > kSlowNs) break;
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
    sets_.enqueue_refresh(sets_.fresh(0, calls, 0));
    events_.record_start(stream_);
    check_launch(api_, api_.cuGraphLaunch(graph.get(), stream_), "cuGraphLaunch");
    events_.record_end(stream_);
    synchronize(api_, stream_);
  }
  return events_.ns() / static_cast<double>(calls);
}

DrawnSets TimedPlan::enqueue_fresh(std::int64_t set, bool warm) {
  kernels_.release_persisting();
  phase_ = (phase_ + 1) % sets_.images();
  const DrawnSets drawn = sets_.fresh(set, 1, phase_);
  sets_.enqueue_refresh(drawn);
  if (!warm) kernels_.enqueue_flush(stream_);
  return drawn;
}

/// The graph on the sets that it uses, to its end. The GPU has them to make while the graph is being launched.
void TimedPlan::launch_all(const DrawnSets& drawn, const ClockReader* clock) {
  kernels_.release_persisting();
  sets_.enqueue_refresh(drawn);
  kernels_.enqueue_flush(stream_);
  events_.record_start(stream_);
  check_launch(api_, api_.cuGraphLaunch(graph_.get(), stream_), "cuGraphLaunch");
  events_.record_end(stream_);
  if (clock) clocks_mhz_.push_back(clock->sm_clock_mhz());  // while the GPU works
  synchronize(api_, stream_);
}

void TimedPlan::launch_timed(const ClockReader& clock) {
  phase_ = (phase_ + 1) % sets_.images();
  const DrawnSets drawn = sets_.fresh(0, calls_, phase_);
  launch_all(drawn, &clock);
  samples_ns_.push_back(events_.ns() / static_cast<double>(calls_));
  audit(CallKind::rotating, drawn);
}

/// A second launch is never timed: what it could remember of the first would gain nothing.
void TimedPlan::audit(CallKind kind, const DrawnSets& drawn) {
  if (!audit_.wanted()) return;
  audit_.consider(kind, sets_, drawn);
  if (is_slow() && audit_.twice().sets > 0) return;  // one of its calls was launched twice
  const std::vector<std::uint64_t> left = sets_.digests(drawn);
  if (left.empty()) return;
  const bool all = drawn.count > 1;
  const DrawnSets again = sets_.again(drawn, all ? 0 : (drawn.first + 1) % sets_.count());
  if (all) {
    launch_all(again, nullptr);
  } else {
    sets_.enqueue_refresh(again);
    enqueue_call(again.first);
    synchronize(api_, stream_);
  }
  audit_.compare(kind, sets_.tables(), drawn, left, again, sets_.digests(again));
}

void TimedPlan::run_burst(double seconds, const ClockReader& clock) {
  const auto start = std::chrono::steady_clock::now();
  const auto is_over = [&] {
    return std::chrono::steady_clock::now() - start >= std::chrono::duration<double>(seconds);
  };
  if (call_ns_ * static_cast<double>(calls_) * 1e-9 < seconds / 4) launch_all(sets_.fresh(0, calls_, phase_), nullptr);
  int launches = 0;
  do launch_timed(clock);
  while (++launches < kMostLaunches && !is_over());
  ++bursts_;
}

std::vector<double> TimedPlan::time_cold(std::int64_t sample, const SingleCallTimer& timer) {
  if (is_very_slow() || (is_slow() && sample > 0)) return {};
  const std::int64_t set = sample % sets_.count();
  DrawnSets drawn;
  const double ns = timer.time_ns([&] { drawn = enqueue_fresh(set, false); }, [&] { enqueue_call(set); });
  audit(CallKind::cold, drawn);
  return {ns};
}

std::vector<double> TimedPlan::time_warm() {
  if (sets_.has_restored() || is_very_slow()) return {};
  return time_one_set();
}

std::vector<double> TimedPlan::time_single_warm(const SingleCallTimer& timer) {
  std::vector<double> samples;
  if (is_very_slow()) return samples;
  constexpr int kSamples = 6;  // the first warms, where that is anything
  const auto start = std::chrono::steady_clock::now();
  const auto spent_s = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const int first = is_slow() ? 1 : 0;
  for (int i = first; i < kSamples && (i < 2 || spent_s() < kLongSingleCallsS); ++i) {
    DrawnSets drawn;
    const double ns = timer.time_ns([&] { drawn = enqueue_fresh(0, true); }, [&] { enqueue_call(0); });
    if (i > 0) samples.push_back(ns);
    audit(CallKind::warm, drawn);
  }
  return samples;
}

std::string TimedPlan::method(const SingleCallTimer* timer) const {
  std::string text = fmt::format(
      "graph x{}, {} sets, drawn anew and flushed before each launch, {} burst{}; events around a graph add about 2.2 "
      "us to it, not subtracted",
      calls_, calls_, bursts_, bursts_ == 1 ? "" : "s");
  if (timer) {
    text += fmt::format("; cold: single calls after reading more than twice the L2, less {:.0f} ns of event nodes",
                        timer->overhead_ns());
  }
  return text;
}

void TimedPlan::tell(Samples& samples) const {
  samples.kept = audit_.kept(sets_);
  samples.twice = audit_.twice();
}

std::vector<double> TimedPlan::time_one_set() {
  const std::int64_t calls = std::min<std::int64_t>(calls_, 100);
  const OwnedGraphExec graph = capture_graph(api_, stream_, [&] {
    for (std::int64_t call = 0; call < calls; ++call) enqueue_call(0);
  });
  const DrawnSets drawn = enqueue_fresh(0, true);
  constexpr int kSamples = 5;
  constexpr double kLongNs = 1e9;
  std::vector<double> samples;
  for (int i = is_slow() ? 1 : 0; i <= kSamples; ++i) {  // the first warms, where that is anything
    if (i > 1 && call_ns_ * static_cast<double>(i * calls) > kLongNs) break;
    events_.record_start(stream_);
    check_launch(api_, api_.cuGraphLaunch(graph.get(), stream_), "cuGraphLaunch");
    events_.record_end(stream_);
    synchronize(api_, stream_);
    if (i > 0) samples.push_back(events_.ns() / static_cast<double>(calls));
  }
  audit(CallKind::warm, drawn);
  return samples;
}

std::vector<double> TimedPlan::clocks_mhz() const {
  std::vector<double> clocks;
  for (const auto& mhz : clocks_mhz_) {
    if (mhz) clocks.push_back(*mhz);
  }
  return clocks.size() == clocks_mhz_.size() ? clocks : std::vector<double>{};
}

}  // namespace harness::cuda
