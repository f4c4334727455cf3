#include "harness/core/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace harness {
namespace {

constexpr double kRounding = 1e-6;  // of numbers that were written as text
// Outputs that are still in the L2 when the last call ends cost less than the floor: one call's share of them, and a
// write to the L2 takes no less than a quarter of one to memory.
constexpr double kLeastOfFloor = 0.25;

double least_of_floor(const IterationRow& row) {
  const double calls = static_cast<double>(std::max<std::int64_t>(row.calls_per_sample.value_or(1), 1));
  return std::max(kLeastOfFloor, 1 - 1 / calls);
}

bool is_near(double a, double b) {
  return std::abs(a - b) <= kRounding * std::max(std::abs(a), std::abs(b));
}

double median_of(std::vector<double> samples) {
  const std::size_t half = samples.size() / 2;
  std::ranges::sort(samples);
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

const std::vector<double>* timed_samples(const IterationRow& row) {
  const auto samples = row.samples.find("rotating_ns");
  return samples == row.samples.end() || samples->second.empty() ? nullptr : &samples->second;
}

bool ended_well(const IterationRow& row) {
  return row.outcome == "passed" || row.outcome == "screened";
}

class Contradictions {
 public:
  explicit Contradictions(const IterationRow& row) : row_(row) {}

  std::vector<std::string> find() {
    look_at_numbers();
    if (row_.time_ns) look_at_time(*row_.time_ns);
    if (ended_well(row_)) look_at_gates();
    return std::move(found_);
  }

 private:
  void say(std::string sentence) { found_.push_back(std::move(sentence)); }

  void look_at_number(const char* name, const std::optional<double>& number, bool may_be_negative = false) {
    if (number && (!std::isfinite(*number) || (*number < 0 && !may_be_negative)))
      say(fmt::format("{} is {}", name, *number));
  }

  /// Intervals of emulated times reach below 0: they are medians plus and minus a share.
  void look_at_numbers() {
    look_at_number("time_ns", row_.time_ns);
    look_at_number("time_lo_ns", row_.time_lo_ns, row_.emulation);
    look_at_number("time_hi_ns", row_.time_hi_ns);
    look_at_number("cold_ns", row_.cold_ns);
    look_at_number("warm_ns", row_.warm_ns);
    look_at_number("baseline_ns", row_.baseline_ns);
    look_at_number("incumbent_ns", row_.incumbent_ns);
    look_at_number("floor_ns", row_.floor_ns);
    look_at_number("speedup", row_.speedup);
    look_at_number("speedup_lo", row_.speedup_lo, row_.emulation);
    look_at_number("speedup_hi", row_.speedup_hi, row_.emulation);
    const StageCosts& cost = row_.cost;
    for (const double seconds : {cost.decide_s, cost.prepare_s, cost.build_s, cost.gates_s, cost.timing_s, cost.idle_s})
      look_at_number("a stage's seconds", seconds);
    look_at_number("usd", cost.usd);
    for (const auto& [kind, samples] : row_.samples)
      if (std::ranges::any_of(samples, [](double sample) { return !std::isfinite(sample) || sample < 0; }))
        say(fmt::format("a sample of {} is below 0 or not finite", kind));
  }

  void look_at_time(double time_ns) {
    if ((row_.time_lo_ns && time_ns < *row_.time_lo_ns) || (row_.time_hi_ns && time_ns > *row_.time_hi_ns))
      say(fmt::format("its time of {:.6g} ns lies outside of its interval, {:.6g} to {:.6g}", time_ns,
                      row_.time_lo_ns.value_or(0), row_.time_hi_ns.value_or(0)));
    if (row_.floor_ns && !row_.emulation && time_ns < *row_.floor_ns * least_of_floor(row_))
      say(fmt::format("its time of {:.6g} ns is below its floor of {:.6g} ns", time_ns, *row_.floor_ns));
    if (row_.speedup && row_.baseline_ns && !is_near(*row_.speedup, *row_.baseline_ns / time_ns))
      say(fmt::format("its speedup is {:.6g}, and its times say {:.6g}", *row_.speedup, *row_.baseline_ns / time_ns));
    if (row_.speedup && !row_.baseline_ns) say("it has a speedup and no time to compare with");
    if (row_.speedup && !row_.emulation &&
        ((row_.speedup_lo && *row_.speedup < *row_.speedup_lo * (1 - kRounding)) ||
         (row_.speedup_hi && *row_.speedup > *row_.speedup_hi * (1 + kRounding))))
      say(fmt::format("its speedup of {:.6g} lies outside of its interval", *row_.speedup));
    if (const auto* samples = timed_samples(row_); samples != nullptr && !is_near(median_of(*samples), time_ns))
      say(fmt::format("its time is {:.6g} ns, and the median of its samples {:.6g} ns", time_ns, median_of(*samples)));
  }

  void look_at_gates() {
    const auto failed =
        std::ranges::find_if(row_.gates, [](const GateResult& gate) { return gate.checked && !gate.passed; });
    if (failed != row_.gates.end()) say(fmt::format("it {}, and its gate '{}' failed", row_.outcome, failed->name));
  }

  const IterationRow& row_;
  std::vector<std::string> found_;
};

}  // namespace

Supported supported(const IterationRow& row) {
  Supported by;
  by.samples = row.time_ns && timed_samples(row) != nullptr;
  by.gates = std::ranges::any_of(row.gates, [](const GateResult& gate) { return gate.checked && gate.passed; });
  by.floor = row.time_ns && row.floor_ns && !row.emulation;
  return by;
}

std::vector<std::string> contradictions(const IterationRow& row) {
  return Contradictions(row).find();
}

}  // namespace harness
