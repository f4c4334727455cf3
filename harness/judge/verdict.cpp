#include "harness/judge/verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/gates.h"
#include "harness/judge/comparison_gates.h"
#include "harness/judge/elements.h"
#include "harness/judge/guards.h"
#include "harness/judge/pattern.h"
#include "harness/judge/set_compare.h"
#include "harness/judge/tolerance.h"

namespace harness::judge {
namespace {

/// An output with what was found in it and how its own gate went.
struct Judged {
  Output output;
  Measured measured;
  GateResult gate;
};

GateResult set_gate(const Problem& problem, const ImageLayout& layout, std::span<const std::byte> before,
                    const Output& output, Measured& m) {
  const SetDifference sets = compare_sets(problem, layout, before, output);
  m.error.mismatches = sets.wrong_rows;
  std::string detail = fmt::format("{} of {} rows are other sets than the reference's", sets.wrong_rows, sets.rows);
  if (sets.first_wrong >= 0) {
    m.worst = sets.first_wrong;
    detail += "; " + element_words(output, sets.first_wrong);
  }
  return {name_of(gate::set), sets.wrong_rows == 0, detail};
}

void check_comparison(const Argument& a) {
  const std::string kind = compare_of(a).kind;
  const bool of_floats = kind == "relative" || kind == "ulp";
  const bool is_comparison = of_floats || kind == "exact" || kind == "quantized" || kind == "set" || kind == "custom";
  if (is_comparison && (is_floating(a.dtype) || !of_floats)) return;
  throw bad_input(
      fmt::format("output '{}' of type {} cannot be compared as '{}'; use relative or ulp (floating types), exact, "
                  "quantized, set or custom",
                  a.name, name(a.dtype), kind));
}

/// What the gates of all outputs need.
struct Launched {
  const Problem& problem;
  const ImageLayout& layout;
  std::span<const std::byte> before, after;
  const ReferenceValues& reference;
  const std::map<std::string, GateResult>& custom;
};

GateResult own_gate(const Launched& launched, const Output& output, Measured& m) {
  const std::string& kind = output.kind_name();
  if (kind == "set") return set_gate(launched.problem, launched.layout, launched.before, output, m);
  if (kind != "custom") return comparison_gate(output, m, &output);
  const auto comparison = launched.custom.find(output.argument().name);
  if (comparison != launched.custom.end())
    return {name_of(gate::custom), comparison->second.passed, comparison->second.detail};
  throw bad_input(fmt::format("nobody ran the custom comparison of output '{}'; run it and hand its gate over",
                              output.argument().name));
}

Judged judge_output(const Launched& launched, const Argument& a) {
  check_comparison(a);
  const auto values = launched.reference.find(a.name);
  if (values == launched.reference.end() ||
      static_cast<std::int64_t>(values->second.values.size()) != count_elements(a)) {
    throw bad_input(fmt::format("the reference has no values for output '{}' of '{}'; it must compute all outputs",
                                a.name, launched.problem.kernel));
  }
  Output output(launched.problem, launched.layout, launched.before, launched.after, a, values->second);
  Measured measured = measure(output);
  GateResult gate = own_gate(launched, output, measured);
  gate.name += ":" + a.name;
  return {std::move(output), std::move(measured), std::move(gate)};
}

GateResult finite_gate(const std::vector<Judged>& outputs) {
  for (const Judged& j : outputs) {
    if (j.measured.disagree == 0) continue;
    return {
        name_of(gate::finite), false,
        fmt::format("{} of {} elements of '{}' are NaN or infinite where the reference is not, or other than it; {}",
                    j.measured.disagree, j.measured.compared, j.output.argument().name,
                    element_words(j.output, j.measured.first_disagree))};
  }
  return {name_of(gate::finite), true, kAllFinite};
}

GateResult written_gate(const std::vector<Judged>& outputs) {
  for (const Judged& j : outputs) {
    if (!is_unwritten(j.measured)) continue;
    return {
        name_of(gate::written), false,
        fmt::format("{} of {} elements of '{}' were never written, the first {}", j.measured.error.unwritten,
                    j.measured.compared, j.output.argument().name, place_words(j.output, j.measured.first_unwritten))};
  }
  return {name_of(gate::written), true, kAllWritten};
}

bool healthy(const Judged& j) {
  return j.gate.passed && j.measured.disagree == 0 && !is_unwritten(j.measured);
}

/// The output that departs most, with its worst element and the pattern of the wrong ones.
void describe_worst(const std::vector<Judged>& outputs, Verdict& verdict) {
  const Judged* worst = nullptr;
  for (const Judged& j : outputs) {
    if (healthy(j)) continue;
    if (worst == nullptr || j.measured.worst_badness > worst->measured.worst_badness) worst = &j;
  }
  if (worst == nullptr) return;
  const std::int64_t element = worst->measured.disagree > 0 ? worst->measured.first_disagree : worst->measured.worst;
  if (element >= 0) verdict.first_bad = worst->output.describe(element);
  verdict.pattern = describe_pattern(worst->output, worst->measured);
}

}  // namespace

Verdict judge(const Problem& problem, const Plan&, const ImageLayout& layout, std::span<const std::byte> before,
              std::span<const std::byte> after, const ReferenceValues& reference, std::uint64_t seed,
              const std::map<std::string, GateResult>& custom) {
  const Launched launched{problem, layout, before, after, reference, custom};
  std::vector<Judged> outputs;
  for (const Argument& a : problem.arguments) {
    if (is_judged(a)) outputs.push_back(judge_output(launched, a));
  }
  Verdict verdict;
  verdict.seed = seed;
  verdict.gates = {check_guards(problem, layout, before, after), check_inputs(problem, layout, before, after),
                   finite_gate(outputs), written_gate(outputs)};
  for (const Judged& j : outputs) {
    verdict.gates.push_back(j.gate);
    verdict.errors.push_back(j.measured.error);
  }
  describe_worst(outputs, verdict);
  return verdict;
}

std::map<std::string, double> output_errors(const Problem& problem, const ImageLayout& layout,
                                            std::span<const std::byte> before, std::span<const std::byte> after,
                                            const ReferenceValues& reference) {
  std::map<std::string, double> errors;
  for (const Argument& a : problem.arguments) {
    if (!is_judged(a)) continue;
    const Output output(problem, layout, before, after, a, reference.at(a.name));
    errors[a.name] = error_of(output, measure(output));
  }
  return errors;
}

std::string fingerprint(const Verdict& verdict) {
  std::string words;
  for (const GateResult& gate : verdict.gates) {
    if (gate.passed) continue;
    words += (words.empty() ? "" : " ") + gate.name;
  }
  if (words.empty() || verdict.pattern.empty()) return words;
  return words + ": " + verdict.pattern;
}

}  // namespace harness::judge
