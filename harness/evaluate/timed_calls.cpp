#include "harness/evaluate/timed_calls.h"

#include <fmt/format.h>

#include "harness/core/gates.h"
#include "harness/evaluate/statistics.h"

namespace harness {
namespace {

struct Series {
  const char* words;
  double ns;
};

std::string microseconds(double ns) {
  return fmt::format("{:.4g} us", ns / 1000);
}

/// "": `fast` may be that much faster than `slow`.
std::string contradiction(const Series& fast, const Series& slow, double factor) {
  constexpr double kSlackNs = 3000;  // what launching a single call adds, and a wake-up of the clocks
  if (fast.ns <= 0 || slow.ns <= 0 || factor * fast.ns + kSlackNs >= slow.ns) return "";
  return fmt::format("{} take {}, but {} {}", fast.words, microseconds(fast.ns), slow.words, microseconds(slow.ns));
}

double median_of(const std::vector<double>& samples) {
  return samples.empty() ? 0 : estimate(samples, {}).median;
}

}  // namespace

GateResult check_twice(const TwiceLaunched& twice, bool may_differ) {
  if (twice.sets == 0) return {name_of(gate::timed_twice), true, "no output can be compared with itself", false};
  if (twice.unequal == 0)
    return {name_of(gate::timed_twice), true,
            fmt::format("{} timed calls left the same when their values were launched again at another address",
                        twice.sets)};
  const std::string differ = fmt::format(
      "{} of {} timed calls left something else than a second launch on the same values at another address, first "
      "among "
      "the {} ones",
      twice.unequal, twice.sets, name(*twice.first_unequal));
  if (may_differ)
    return {name_of(gate::timed_twice), true, fmt::format("{}, which a rival may be: {}", kNotDeterministic, differ),
            false};
  return {name_of(gate::timed_twice), false, differ};
}

GateResult check_times(const Samples& samples, bool fit_l2) {
  const double of_single = fit_l2 ? 2 : 3;
  const Series rotating{"calls in a graph, each on inputs of its own,", median_of(samples.rotating_ns)};
  const Series cold{"single calls after a flush", median_of(samples.cold_ns)};
  const Series warm{"calls on one input set", median_of(samples.warm_ns)};
  const Series single{"single calls on inputs in the L2", median_of(samples.single_warm_ns)};
  // Cold is never faster. In a graph launches overlap, and a kernel of a few microseconds is mostly launch.
  for (const auto& [fast, slow, factor] :
       {std::tuple{cold, warm, 1.5}, {cold, single, 1.5}, {rotating, single, of_single}, {warm, single, of_single}})
    if (const std::string words = contradiction(fast, slow, factor); !words.empty())
      return {name_of(gate::times_agree), false, words};
  if (cold.ns <= 0 && single.ns <= 0) return {name_of(gate::times_agree), true, "one kind of timing only", false};
  return {name_of(gate::times_agree), true,
          fmt::format("rotating {}, cold {}, warm {}, single warm {}", microseconds(rotating.ns), microseconds(cold.ns),
                      microseconds(warm.ns), microseconds(single.ns))};
}

}  // namespace harness
