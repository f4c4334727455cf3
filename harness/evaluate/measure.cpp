#include "harness/evaluate/measure.h"

#include <fmt/format.h>

#include <chrono>

#include "harness/evaluate/statistics.h"

namespace harness {
namespace {

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool quiet(const std::vector<Samples>& samples, const TimingPolicy& policy) {
  for (const Samples& each : samples) {
    if (static_cast<int>(each.rotating_ns.size()) < policy.min_samples) return false;
    const Estimate estimated = estimate(each.rotating_ns, 0);
    if (estimated.hi - estimated.lo > 2 * policy.noise * estimated.median) return false;
  }
  return true;
}

}  // namespace

std::optional<RunnerFailure> time_by_turns(const std::vector<Runner*>& runners, const std::vector<std::function<void()>>& restore,
                                           const TimingPolicy& policy, double run_deadline_s, std::vector<Samples>& samples) {
  samples.assign(runners.size(), {});
  const double begin = now_ns();
  for (int round = 0; round == 0 || (now_ns() - begin < policy.max_s * 1e9 && !quiet(samples, policy)); ++round) {
    for (std::size_t turn = 0; turn < runners.size(); ++turn) {
      const std::size_t i = (turn + static_cast<std::size_t>(round)) % runners.size();
      restore[i]();
      const double start = now_ns();
      if (auto failure = runners[i]->run(0, 0, run_deadline_s)) return failure;
      samples[i].rotating_ns.push_back(now_ns() - start);
    }
  }
  for (Samples& each : samples) {
    each.calls_per_sample = 1;
    each.input_sets = 1;
    each.method = fmt::format("emulation, {} single runs by turns, host clock", each.rotating_ns.size());
  }
  return std::nullopt;
}

}  // namespace harness
