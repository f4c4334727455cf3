#include "harness/device/cuda/run/timing_run.h"

#include <chrono>
#include <thread>

#include "harness/device/cuda/run/stopping.h"

namespace harness::cuda {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<std::vector<double>> all_samples(std::span<const std::unique_ptr<TimedContender>> contenders) {
  std::vector<std::vector<double>> samples;
  for (const auto& contender : contenders) samples.push_back(contender->samples_ns());
  return samples;
}

}  // namespace

void measure_rotating(std::span<const std::unique_ptr<TimedContender>> contenders, const TimingPolicy& policy,
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

std::vector<std::vector<double>> measure_cold(std::span<const std::unique_ptr<TimedContender>> contenders,
                                              const SingleCallTimer& timer) {
  constexpr std::int64_t kSamples = 10, kLeastSamples = 3;
  const auto start = Clock::now();
  std::vector<std::vector<double>> cold(contenders.size());
  for (std::int64_t sample = 0; sample < kSamples; ++sample) {
    if (sample >= kLeastSamples && seconds_since(start) > kLongSingleCallsS) break;
    for (std::size_t i = 0; i < contenders.size(); ++i)
      for (const double ns : contenders[i]->time_cold(sample, timer)) cold[i].push_back(ns);
  }
  return cold;
}

}  // namespace harness::cuda
