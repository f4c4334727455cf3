#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cuda/run/foreign_processes.h"
#include "harness/device/cuda/run/single_call.h"
#include "harness/device/cuda/run/timed_contender.h"

namespace harness::cuda {

constexpr double kLongSingleCallsS = 1;  // single calls that take longer together are told by fewer samples

/// Samples the contenders in turns (A B, B A, A B, ...), one burst and one pause each, until should_stop().
void measure_rotating(std::span<const std::unique_ptr<TimedContender>> contenders, const TimingPolicy& policy,
                      const ClockReader& clock, ForeignProcesses& foreign);

/// Single calls after a flush of the L2, in turns: ten per contender (three at least where they take longer than a
/// second in all), on sets in turn. None of one whose calls take half a second.
std::vector<std::vector<double>> measure_cold(std::span<const std::unique_ptr<TimedContender>> contenders,
                                              const SingleCallTimer& timer);

}  // namespace harness::cuda
