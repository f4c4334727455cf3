#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "harness/worker/runner.h"

namespace harness {

/// Times contenders on a device whose clock cannot be believed (cpu): each has a runner of its own, already prepared;
/// they take turns, and this process's clock times them. `restore` makes an image pristine again, outside the timed
/// part. Stops when every contender has `policy.min_samples` and is within the noise, or after `policy.max_s`.
struct TurnFailure {
  std::size_t contender = 0;
  RunnerFailure failure;
};
std::optional<TurnFailure> time_by_turns(const std::vector<Runner*>& runners,
                                         const std::vector<std::function<void()>>& restore, const TimingPolicy& policy,
                                         double run_deadline_s, std::vector<Samples>& samples);

}  // namespace harness
