#include "harness/evaluate/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "harness/core/abandon.h"
#include "harness/evaluate/statistics.h"

namespace harness {
namespace {

// Fewer samples give no verdict; they are taken unless that costs many times what was allowed.
constexpr int kFewestRounds = static_cast<int>(kFewestForIntervals);
constexpr double kPatience = 10;

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool quiet(const std::vector<Samples>& samples, const TimingPolicy& policy) {
  for (const Samples& contender : samples) {
    if (static_cast<int>(contender.rotating_ns.size()) < policy.min_samples) return false;
    const Estimate estimated = estimate(contender.rotating_ns, {});
    if (estimated.hi - estimated.lo > 2 * policy.noise * estimated.median) return false;
  }
  return true;
}

bool gives_up(const std::vector<Samples>& samples, const TimingPolicy& policy) {
  return samples.size() > 1 && clearly_slower(samples[0].rotating_ns, samples[1].rotating_ns, policy.abandon_factor);
}

/// By the rule that decides afterwards (statistics.h): the samples of one lie apart from those of the other, by more
/// than processes differ. Three of each tell that where medians are plainly apart, else it takes four. Were both
/// equally fast, four would do so once in 35 times at most, if nothing were allowed for how processes differ.
bool has_told(const std::vector<Samples>& samples, const TimingPolicy& policy) {
  if (!policy.until_verdict || samples.size() < 2) return false;
  const std::vector<double>&own = samples[0].rotating_ns, &other = samples[1].rotating_ns;
  return std::min(own.size(), other.size()) >= kFewestForVerdict &&
         compare(estimate(own, kProcessSpreadCpu), estimate(other, kProcessSpreadCpu)) != Comparison::same;
}

/// Plainly apart in their medians, and yet a sample or two overlap: the machine was busy, and more samples tell.
bool disturbed(const std::vector<Samples>& samples) {
  if (samples.size() < 2) return false;
  const Estimate own = estimate(samples[0].rotating_ns, {}), other = estimate(samples[1].rotating_ns, {});
  return std::max(own.median, other.median) > kPlainly * std::min(own.median, other.median) &&
         compare(own, other) == Comparison::same;
}

}  // namespace

bool another_round(int round, double spent_s, const std::vector<Samples>& samples, const TimingPolicy& policy) {
  if (round == 0) return true;
  if (gives_up(samples, policy) || has_told(samples, policy)) return false;
  if (round < kFewestRounds || disturbed(samples)) return spent_s < kPatience * policy.max_s;
  return spent_s < policy.max_s && !quiet(samples, policy);
}

std::optional<TurnFailure> time_by_turns(const std::vector<Turns>& contenders, const TimingPolicy& policy,
                                         double run_deadline_s, std::vector<Samples>& samples) {
  samples.assign(contenders.size(), {});
  const double begin = now_ns();
  for (int round = 0; another_round(round, (now_ns() - begin) * 1e-9, samples, policy); ++round) {
    for (std::size_t turn = 0; turn < contenders.size(); ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % contenders.size();
      const std::size_t image = contenders[i].before();
      double elapsed_ns = 0;
      if (auto failure = contenders[i].runner->run(0, image, run_deadline_s, nullptr, &elapsed_ns))
        return TurnFailure{i, *failure};
      samples[i].rotating_ns.push_back(elapsed_ns);
      contenders[i].after(image);
    }
  }
  for (Samples& contender : samples) {
    contender.calls_per_sample = 1;
    contender.input_sets = static_cast<int>(contender.rotating_ns.size());
    contender.method = fmt::format(
        "emulation, {} single runs by turns, each in a process of its own, inputs and addresses changed before "
        "each, host clock",
        contender.rotating_ns.size());
  }
  return std::nullopt;
}

}  // namespace harness
