#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/device/cuda/contender.h"
#include "harness/device/cuda/single_call.h"

namespace harness::cuda {

/// Samples the contenders in turns (A B, B A, A B, ...), one burst and one pause each, until should_stop().
void measure_rotating(std::span<const std::unique_ptr<Contender>> contenders, const TimingPolicy& policy,
                      const ClockReader& clock);

/// Single calls after a flush of the L2, in turns: ten per contender, on sets in turn.
std::vector<std::vector<double>> measure_cold(std::span<const std::unique_ptr<Contender>> contenders,
                                              const SingleCallTimer& timer, const MeasuringKernels& kernels,
                                              Stream stream);

/// One input set again and again. Buffers that must be restored before each call allow no graph of many: then single
/// calls, for which `timer` is needed; without one there are no samples.
std::vector<double> measure_warm(Contender& contender, const SingleCallTimer* timer);

/// What was done, in words: stored with the samples.
std::string describe_method(const Contender& contender, const SingleCallTimer* timer,
                            const std::string& no_timer_because);

}  // namespace harness::cuda
