#include "harness/judge/sums.h"

#include <algorithm>
#include <cmath>

#include "harness/core/gates.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/tolerance.h"
#include "kernels/include/harness/random.cuh"

namespace harness::judge {
namespace {

constexpr double kProbeChange = 0x1p-6;
constexpr double kSeen = 1e-13;  // a change of less, relative to the output's largest value, is rounding in double

bool is_probed(const Argument& a) {
  return is_drawn(a) && !a.absent && is_floating(a.dtype) && count_elements(a) > 0 && !Indexer(a).overlapping();
}

bool has_inferred_sums(const Argument& a) {
  return a.accuracy && !a.accuracy->declared && compare_of(a).kind == "relative";
}

std::int64_t count_changed(const ReferenceArray& right, const ReferenceArray& changed) {
  double largest = 0;
  for (const double value : right.values)
    if (std::isfinite(value)) largest = std::max(largest, std::fabs(value));
  std::int64_t count = 0;
  for (std::size_t i = 0; i < right.values.size(); ++i)
    count += std::fabs(changed.values[i] - right.values[i]) > kSeen * largest ? 1 : 0;
  return count;
}

}  // namespace

bool may_be_longer_sums(const Problem& problem, const Verdict& verdict) {
  if (verdict.passed()) return false;
  return std::ranges::all_of(verdict.gates, [&](const GateResult& gate) {
    if (gate.passed) return true;
    const std::string relative = name_of(gate::relative_l2) + ":";
    const Argument* const output =
        gate.name.starts_with(relative) ? find_argument(problem, gate.name.substr(relative.size())) : nullptr;
    if (output == nullptr || !has_inferred_sums(*output)) return false;
    const auto error = std::ranges::find(verdict.errors, output->name, &ArgumentError::argument);
    return error != verdict.errors.end() && error->non_finite == 0 && error->relative_l2 < kHostileBound;
  });
}

std::vector<Probe> choose_probes(const Problem& problem, std::uint64_t seed) {
  std::vector<Probe> probes;
  for (const Argument& a : problem.arguments) {
    if (!is_probed(a)) continue;
    const auto elements = static_cast<std::uint64_t>(count_elements(a));
    const std::uint64_t stream = random::stream_of((a.name + ":probed").c_str());
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(kProbes, elements); ++i)
      probes.push_back({a.name, static_cast<std::int64_t>(random::below(random::words(seed, stream, i), elements))});
  }
  return probes;
}

void change_element(const Problem& problem, const ImageLayout& layout, const Probe& probe, std::span<std::byte> image) {
  const Argument& a = *find_argument(problem, probe.input);
  std::byte* const unit =
      payload(layout, a.name, image).data() + Indexer(a).offset(probe.element) * storage_bytes(a.dtype);
  const double value = load_as_double(a.dtype, unit);
  store_rounded(a.dtype, unit, value == 0 ? kProbeChange : value * (1 + kProbeChange));
}

std::map<std::string, std::int64_t> sum_lengths(const Problem& problem, const ReferenceValues& reference,
                                                const std::vector<Probe>& probes,
                                                const std::vector<ReferenceValues>& changed) {
  std::map<std::string, std::int64_t> lengths;
  for (const Argument& output : problem.arguments) {
    if (!is_judged(output) || !has_inferred_sums(output) || count_elements(output) == 0) continue;
    const ReferenceArray& right = reference.at(output.name);
    std::map<std::string, std::pair<double, int>> moved;  // by input: outputs that followed, probes
    for (std::size_t i = 0; i < probes.size(); ++i) {
      auto& [outputs, count] = moved[probes[i].input];
      outputs += static_cast<double>(count_changed(right, changed[i].at(output.name)));
      ++count;
    }
    double longest = 1;
    for (const auto& [input, followed] : moved) {
      const auto elements = static_cast<double>(count_elements(*find_argument(problem, input)));
      longest =
          std::max(longest, elements * followed.first / followed.second / static_cast<double>(count_elements(output)));
    }
    lengths[output.name] = static_cast<std::int64_t>(std::ceil(longest));
  }
  return lengths;
}

Problem with_sums(Problem problem, const std::map<std::string, std::int64_t>& lengths, const std::string& form,
                  const std::map<std::string, double>& impostor) {
  for (Argument& a : problem.arguments) {
    const auto length = lengths.find(a.name);
    if (length == lengths.end() || length->second <= a.accuracy->sum) continue;
    a.accuracy->sum = length->second;
    Tolerance measured;
    measured.form = form;
    measured.impostor = impostor.at(a.name);
    measured.tolerance = tolerance_of(a);
    set_tolerance(a, tolerance_at(problem, a, measured));
  }
  return problem;
}

}  // namespace harness::judge
