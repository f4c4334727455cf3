#include "harness/device/cuda/timing_run.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "harness/device/cuda/stopping.h"

namespace harness::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::vector<double>> all_samples(std::span<const std::unique_ptr<Contender>> contenders) {
  std::vector<std::vector<double>> samples;
  for (const auto& contender : contenders) samples.push_back(contender->samples_ns());
  return samples;
}

}  // namespace

void measure_rotating(std::span<const std::unique_ptr<Contender>> contenders, const TimingPolicy& policy,
                      const ClockReader& clock) {
  constexpr int kLeastRounds = 2;  // each contender has gone first once
  std::vector<EventPair> events;
  const auto start = Clock::now();
  for (int round = 0;; ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      Contender& contender = *contenders[round % 2 ? contenders.size() - 1 - turn : turn];
      contender.run_burst(policy.burst_s, clock, events);
      std::this_thread::sleep_for(std::chrono::duration<double>(policy.pause_s));
    }
    const double elapsed_s = seconds_since(start);
    if (round + 1 < kLeastRounds && elapsed_s < policy.max_s) continue;
    if (should_stop(all_samples(contenders), elapsed_s, policy)) return;
  }
}

std::vector<std::vector<double>> measure_cold(std::span<const std::unique_ptr<Contender>> contenders,
                                              const SingleCallTimer& timer, const MeasuringKernels& kernels,
                                              Stream stream) {
  constexpr std::int64_t kSamples = 10;
  std::vector<std::vector<double>> cold(contenders.size());
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const Contender& contender = *contenders[i];
      const std::int64_t set = sample % contender.sets().count();
      cold[i].push_back(timer.time_ns([&] { kernels.enqueue_flush(stream); }, [&] { contender.enqueue_call(set); }));
      contender.enqueue_restore(set);
    }
  }
  return cold;
}

std::vector<double> measure_warm(Contender& contender, const SingleCallTimer* timer) {
  if (!contender.sets().has_restored()) return contender.time_one_set(0);
  std::vector<double> samples;
  constexpr int kSamples = 6;  // the first warms
  for (int i = 0; timer && i < kSamples; ++i) {
    const double ns = timer->time_ns([&] { contender.enqueue_restore(0); }, [&] { contender.enqueue_call(0); });
    if (i > 0) samples.push_back(ns);
  }
  contender.enqueue_restore(0);
  return samples;
}

std::string describe_method(const Contender& contender, const SingleCallTimer* timer,
                            const std::string& no_timer_because) {
  const GraphShape shape = contender.shape();
  std::string text = fmt::format(
      "graph x{}, {} sets in {} graph{}, {} burst{}; events around a graph add about 2.2 us to it, not subtracted",
      shape.calls, std::min(contender.sets().count(), shape.calls * shape.graphs), shape.graphs,
      shape.graphs == 1 ? "" : "s", contender.bursts(), contender.bursts() == 1 ? "" : "s");
  if (contender.sets().has_restored()) text += "; restored by copies between graphs";
  if (timer) {
    text += fmt::format("; cold: single calls after reading more than twice the L2, less {:.0f} ns of event nodes",
                        timer->overhead_ns());
  } else {
    text += "; no cold samples: " + no_timer_because;
  }
  return text;
}

}  // namespace harness::cuda
