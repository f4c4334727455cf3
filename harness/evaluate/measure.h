#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "harness/worker/processes/runner.h"

namespace harness {

/// One contender of a timing on a device that has no clock of its own (cpu): a runner that has been prepared, and
/// what is done around each timed run, outside the timed part.
struct Turns {
  Runner* runner = nullptr;
  std::function<std::size_t()> before;           // makes inputs ready; which image the run shall use
  std::function<void(std::size_t image)> after;  // may look at what the run left
};
struct TurnFailure {
  std::size_t contender = 0;
  RunnerFailure failure;
};
/// Is another round worth it, after `round` of them that took `spent_s`? No once every contender has
/// `policy.min_samples` and is within the noise, after `policy.max_s`, or when the first is clearly slower than
/// policy.abandon_factor times the second. Ten times as long is allowed for the first six rounds, and where medians lie
/// plainly apart and a stray sample hides it.
bool another_round(int round, double spent_s, const std::vector<Samples>& samples, const TimingPolicy& policy);

/// The contenders take turns, and their runners' clocks time them: no candidate runs in a runner.
std::optional<TurnFailure> time_by_turns(const std::vector<Turns>& contenders, const TimingPolicy& policy,
                                         double run_deadline_s, std::vector<Samples>& samples);

}  // namespace harness
