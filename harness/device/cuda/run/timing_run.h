#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cuda/run/foreign_processes.h"
#include "harness/device/cuda/run/single_call.h"
#include "harness/device/cuda/run/timed_plan.h"

namespace harness::cuda {

/// Samples the contenders in turns (A B, B A, A B, ...), one burst and one pause each, until should_stop().
void measure_rotating(std::span<const std::unique_ptr<TimedPlan>> contenders, const TimingPolicy& policy,
                      const ClockReader& clock, ForeignProcesses& foreign);

/// Single calls after a flush of the L2, in turns: ten per contender (three at least where they take longer than a
/// second in all), on sets in turn. None of one whose calls take half a second.
std::vector<std::vector<double>> measure_cold(std::span<const std::unique_ptr<TimedPlan>> contenders,
                                              const SingleCallTimer& timer);

/// One input set again and again, in a graph; empty where buffers must be pristine before each call, or a call takes
/// half a second.
std::vector<double> measure_warm(TimedPlan& contender);

/// Single calls, each on values that no call had before, which lie in the L2 since they were just drawn. Empty where a
/// call takes half a second.
std::vector<double> measure_single_warm(TimedPlan& contender, const SingleCallTimer& timer);

/// What was done, in words: stored with the samples. `timer`: null where there were no cold samples.
std::string describe_method(const TimedPlan& contender, const SingleCallTimer* timer);

}  // namespace harness::cuda
