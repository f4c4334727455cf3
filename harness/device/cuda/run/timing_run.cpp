#include "harness/device/cuda/run/timing_run.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "harness/device/cuda/run/stopping.h"

namespace harness::cuda {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongS = 1;  // single calls that take longer together are told by fewer samples

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::vector<double>> all_samples(std::span<const std::unique_ptr<TimedPlan>> contenders) {
  std::vector<std::vector<double>> samples;
  for (const auto& contender : contenders) samples.push_back(contender->samples_ns());
  return samples;
}

}  // namespace

void measure_rotating(std::span<const std::unique_ptr<TimedPlan>> contenders, const TimingPolicy& policy,
                      const ClockReader& clock, ForeignProcesses& foreign) {
  constexpr int kLeastRounds = 2;  // each contender has gone first once
  const auto start = Clock::now();
  for (int round = 0;; ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      foreign.sample();
      contenders[round % 2 ? contenders.size() - 1 - turn : turn]->run_burst(policy.burst_s, clock);
      foreign.sample();
      std::this_thread::sleep_for(std::chrono::duration<double>(policy.pause_s));
    }
    const double elapsed_s = seconds_since(start);
    if (round + 1 < kLeastRounds && elapsed_s < policy.max_s) continue;
    if (should_stop(all_samples(contenders), elapsed_s, policy)) break;
  }
}

std::vector<std::vector<double>> measure_cold(std::span<const std::unique_ptr<TimedPlan>> contenders,
                                              const SingleCallTimer& timer) {
  constexpr std::int64_t kSamples = 10, kLeastSamples = 3;
  const auto start = Clock::now();
  std::vector<std::vector<double>> cold(contenders.size());
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    if (sample >= kLeastSamples && seconds_since(start) > kLongS) break;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      TimedPlan& contender = *contenders[i];
      if (contender.is_very_slow() || (contender.is_slow() && sample > 0)) continue;
      const std::int64_t set = sample % contender.sets().count();
      DrawnSets drawn;
      cold[i].push_back(
          timer.time_ns([&] { drawn = contender.enqueue_fresh(set, false); }, [&] { contender.enqueue_call(set); }));
      contender.audit(CallKind::cold, drawn);
    }
  }
  return cold;
}

std::vector<double> measure_warm(TimedPlan& contender) {
  if (contender.sets().has_restored() || contender.is_very_slow()) return {};
  return contender.time_one_set();
}

std::vector<double> measure_single_warm(TimedPlan& contender, const SingleCallTimer& timer) {
  std::vector<double> samples;
  if (contender.is_very_slow()) return samples;
  constexpr int kSamples = 6;  // the first warms, where that is anything
  const auto start = Clock::now();
  const int first = contender.is_slow() ? 1 : 0;
  for (int i = first; i < kSamples && (i < 2 || seconds_since(start) < kLongS); ++i) {
    DrawnSets drawn;
    const double ns =
        timer.time_ns([&] { drawn = contender.enqueue_fresh(0, true); }, [&] { contender.enqueue_call(0); });
    if (i > 0) samples.push_back(ns);
    contender.audit(CallKind::warm, drawn);
  }
  return samples;
}

std::string describe_method(const TimedPlan& contender, const SingleCallTimer* timer) {
  std::string text = fmt::format(
      "graph x{}, {} sets, drawn anew and flushed before each launch, {} burst{}; events around a graph add about 2.2 "
      "us "
      "to it, not subtracted",
      contender.calls(), contender.calls(), contender.bursts(), contender.bursts() == 1 ? "" : "s");
  if (timer) {
    text += fmt::format("; cold: single calls after reading more than twice the L2, less {:.0f} ns of event nodes",
                        timer->overhead_ns());
  }
  return text;
}

}  // namespace harness::cuda
